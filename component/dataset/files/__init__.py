"""One data file: rows to bytes and back, with its statistics and the conditions that are asked of it."""
