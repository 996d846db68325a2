"""Secondary indices: built, merged in bounded memory, looked up."""
