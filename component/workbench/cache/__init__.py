"""Results that need not be made again: their keys, and the folder that keeps them (reference workbench 4)."""
