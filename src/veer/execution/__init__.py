"""Running dataflows on Spark, and reading what is stored instead of computing it again."""
