# title: Tier discount from mapping rows joined after upper/trim instead of a generated when chain
# expect: equivalent
# kind: mapping rows
from pyspark.sql import functions as F

TIERS = [("BRONZE", 2), ("SILVER", 5), ("GOLD", 10), ("PLATINUM", 15)]


def build(spark, tiers=TIERS):
    tier_dim = spark.createDataFrame(tiers, "tier string, discount_pct int")
    customers = spark.table("customers").select(
        "customer_id", F.upper(F.trim("loyalty_tier")).alias("tier")
    )
    return (
        spark.table("bookings")
        .where("status = 'CONFIRMED' AND total_amount > 0")
        .select("customer_id", "total_amount")
        .join(customers, "customer_id", "left")
        .join(F.broadcast(tier_dim), "tier", "left")
        .fillna({"discount_pct": 0, "tier": "NONE"})
        .withColumn("discount", F.expr("round(total_amount * discount_pct / 100, 2)"))
        .groupBy("tier")
        .agg(
            F.count("*").alias("n_bookings"),
            F.sum("total_amount").alias("gross"),
            F.sum("discount").alias("discount"),
            F.sum(F.col("total_amount") - F.col("discount")).alias("net"),
        )
    )
