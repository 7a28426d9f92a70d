from pyspark.sql import functions as F
from pyspark.sql.types import StringType


@F.udf(StringType())
def market_key(country, segment):
    if not country:
        country = "XX"
    if not segment:
        segment = "none"
    return f"{country.upper()}/{segment.lower()}"


def build(spark):
    c = spark.table("customers").withColumn("market", market_key("country", "segment"))
    o = spark.table("orders").filter(
        ~(F.col("status").isin("cancelled", "returned") | F.col("amount").isNull())
    )
    joined = c.join(o, "customer_id", "left")
    return joined.groupBy("market").agg(
        F.countDistinct("customer_id").alias("customers"),
        F.count("order_id").alias("orders"),
        F.coalesce(F.sum("amount"), F.lit(0)).alias("revenue"),
    )
