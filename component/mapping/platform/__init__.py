"""The values, settings and texts that all rule sets speak of."""
