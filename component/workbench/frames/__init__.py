"""What pandas functions of Workbench modules take and return: frames, and results."""
