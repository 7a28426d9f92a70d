from pyspark.sql import functions as F

DISCOUNTS = {"BRONZE": 2, "SILVER": 5, "GOLD": 10, "PLATINUM": 15}


def discount_for(tier):
    expr = F.when(tier.isNull(), F.lit(0))
    for name, pct in DISCOUNTS.items():
        expr = expr.when(tier == name, F.lit(pct))
    return expr.otherwise(F.lit(0))


def build(spark):
    customers = (
        spark.table("customers")
        .withColumn("tier", F.upper(F.trim("loyalty_tier")))
        .withColumn("discount_pct", discount_for(F.col("tier")))
        .select("customer_id", "tier", "discount_pct")
    )
    bookings = (
        spark.table("bookings")
        .filter(F.col("status") == "CONFIRMED")
        .filter(F.col("total_amount") > 0)
    )
    priced = (
        bookings.join(customers, "customer_id", "left")
        .withColumn("discount_pct", F.coalesce("discount_pct", F.lit(0)))
        .withColumn("discount", F.round(F.col("total_amount") * F.col("discount_pct") / 100, 2))
        .withColumn("net_amount", F.col("total_amount") - F.col("discount"))
    )
    return priced.groupBy(F.coalesce("tier", F.lit("NONE")).alias("tier")).agg(
        F.count("*").alias("n_bookings"),
        F.sum("total_amount").alias("gross"),
        F.sum("discount").alias("discount"),
        F.sum("net_amount").alias("net"),
    )
