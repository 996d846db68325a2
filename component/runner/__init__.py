"""One run: read, plan, execute, commit, write outputs, state."""
