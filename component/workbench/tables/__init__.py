"""Tables and columns, and how dates, numbers and timestamps are shown (reference workbench 1.1, 1.2)."""
