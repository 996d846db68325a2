"""RFC 4180 text: exact parallel splits, typed reading, writing."""
