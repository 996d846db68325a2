"""What is wrong with a dataset, and how it is mended."""
