"""What a check, a resolution, a run, a replay or a question to a dataset found: for machines and for people."""
