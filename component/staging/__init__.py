"""Input bytes, wherever they lie: in files of the data folder, or in a bucket (reference keboola 2.1, 2.2)."""
