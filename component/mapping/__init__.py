"""The platform's output-mapping rules as pure functions, with the reason for every decision."""
