"""Bytes to Arrow batches and back."""
