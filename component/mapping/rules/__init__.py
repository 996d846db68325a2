"""The rule sets seed, 2017 and 2026, and the steps that they share."""
