"""Config and what was found become an immutable, printable Plan, before Spark starts."""
