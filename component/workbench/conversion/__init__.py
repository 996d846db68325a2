"""Workbench tables as tables of ours, and back (docs/workbench.md, "Columns")."""
