"""One table in any format to any other, without a data folder."""
