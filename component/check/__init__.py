"""Everything about a data folder before a run: what is wrong, what it becomes, where its outputs land."""
