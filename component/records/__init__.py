"""Records directories: hints, format files, manifests, schemas, and their order of writing (seed records-format)."""
