"""What a step renders: a table, and errors or warnings with their texts (reference workbench 4, 6)."""
