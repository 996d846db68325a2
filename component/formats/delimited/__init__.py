"""Delimited text in every dialect of the records format: read, and written."""
