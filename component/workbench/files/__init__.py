"""The files of Workbench: Arrow files with their metadata, and httpfiles (reference workbench 1, 3)."""
