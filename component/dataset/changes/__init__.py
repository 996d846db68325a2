"""Operations on a dataset that is there, each one commit."""
