"""Input bytes, wherever they lie: in files of the data folder, or in a bucket (seed keboola-data-folders, S3)."""
