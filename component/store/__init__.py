"""Where bytes live: one small interface, one contract suite for every implementation."""
