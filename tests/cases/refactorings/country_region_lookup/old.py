from pyspark.sql import functions as F


def build(spark):
    region = (
        F.when(F.upper("country").isin("GB", "DE", "FR"), F.lit("EMEA"))
        .when(F.upper("country") == "US", F.lit("AMER"))
        .otherwise(F.lit("OTHER"))
    )
    c = spark.table("customers").withColumn("region", region)
    o = spark.table("orders").filter("amount is not null")
    by_region = (
        o.join(c, "customer_id")
        .groupBy("region")
        .agg(F.sum("amount").alias("revenue"), F.countDistinct("customer_id").alias("buyers"))
    )
    return {"customers": c.select("customer_id", "region"), "by_region": by_region}
