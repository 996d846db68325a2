"""Workbench tables: their types, files, metadata, limits and cache (reference workbench 1)."""
