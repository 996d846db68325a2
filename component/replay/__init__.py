"""A run done again from what the platform gives for debugging, or from a case of a test, and compared."""
