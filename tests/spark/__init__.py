"""The interpreter against Spark itself; needs Java and pyspark."""
