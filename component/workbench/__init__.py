"""Workbench tables: their types, files, metadata, limits and cache (seed workbench-table-data-structures)."""
