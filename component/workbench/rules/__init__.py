"""What a table must keep to, and what lenient reading makes of one that does not (reference workbench 1)."""
