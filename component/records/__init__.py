"""Records directories: hints, format files, manifests, schemas, and their order of writing (reference records 1)."""
