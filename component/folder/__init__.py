"""The data folder on disk: tables, files, manifests, state."""
