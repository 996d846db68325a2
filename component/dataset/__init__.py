"""The Kartothek format: header, schema, partition keys, indices, predicates, commit."""
