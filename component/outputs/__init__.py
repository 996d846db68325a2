"""out/tables, slices, out/files and their manifests."""
