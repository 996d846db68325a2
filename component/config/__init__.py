"""pydantic models of config.json and parameters; the environment."""
