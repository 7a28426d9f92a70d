from pyspark.sql import functions as F


def build(spark):
    leads = spark.table("leads").select(
        F.lower(F.trim("email")).alias("email"), F.lit("lead").alias("origin")
    )
    customers = spark.table("customers").select(
        F.lower(F.trim("email")).alias("email"), F.lit("customer").alias("origin")
    )
    everyone = leads.union(customers).filter(
        F.col("email").contains("@") & ~F.col("email").endswith(".io")
    )
    unique = everyone.distinct()
    per_origin = unique.groupBy("origin").agg(F.count("*").alias("emails"))
    domains = unique.groupBy(F.substring_index("email", "@", -1).alias("domain")).agg(
        F.count("*").alias("n")
    )
    return {"unique": unique, "per_origin": per_origin, "domains": domains}
