"""Any file to a Workbench table: encodings, delimited text, JSON, Excel (reference workbench 5)."""
