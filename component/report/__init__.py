"""What people look at: progress, log, summary."""
