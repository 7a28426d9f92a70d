# title: case expression replaced by a lookup join, but an inner join: customers of other or unknown countries are lost instead of falling into OTHER
# expect: inequivalent
# kind: case vs lookup
from pyspark.sql import functions as F

REGIONS = [("GB", "EMEA"), ("DE", "EMEA"), ("FR", "EMEA"), ("US", "AMER")]


def build(spark):
    lookup = spark.createDataFrame(REGIONS, ["code", "region"])
    c = spark.table("customers").withColumn("code", F.upper("country"))
    c = c.join(F.broadcast(lookup), "code").fillna("OTHER", subset=["region"])
    orders = spark.table("orders").dropna(subset=["amount"])
    by_region = (
        orders.join(c.select("customer_id", "region"), on="customer_id")
        .groupBy("region")
        .agg(F.sum("amount").alias("revenue"), F.countDistinct("customer_id").alias("buyers"))
    )
    return {"customers": c.select("customer_id", "region"), "by_region": by_region}
