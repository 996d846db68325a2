"""The Spark context and the jobs that run on it."""
