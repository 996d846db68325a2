"""Which files a question needs, and their rows."""
