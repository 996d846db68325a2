"""`tablemill dataset`: its commands are listed in `commands`."""
