"""Types, schema, casting, null rules: pure Arrow, no I/O."""
