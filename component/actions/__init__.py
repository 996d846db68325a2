"""Synchronous actions: short questions of the platform's forms, each answered by one JSON document on stdout."""
