"""Outputs beside expected outputs: tables by content, files by bytes, manifests and documents by meaning."""
