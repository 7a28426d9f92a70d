"""Running on Spark."""
