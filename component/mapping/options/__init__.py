"""Mapping entries and manifests as the platform's own parser takes them."""
