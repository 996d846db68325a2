"""The log of a run while it goes on: on a terminal, in lines, as GELF."""
