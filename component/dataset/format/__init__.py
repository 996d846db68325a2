"""What stands in a dataset: keys, header, schema, layout, the states that it had, the facts of its files."""
