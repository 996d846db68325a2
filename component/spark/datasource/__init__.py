"""Spark's data source `kartothek`: options, types and filters as predicates, the reader and the writer."""
