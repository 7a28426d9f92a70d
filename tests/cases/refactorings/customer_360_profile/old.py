from pyspark.sql import functions as F


def build(spark, as_of="2024-12-31"):
    cut = F.lit(as_of).cast("date")
    customers = spark.table("customers")
    orders = spark.table("orders").withColumn("status", F.lower(F.trim("status")))
    orders = orders.filter(~F.col("status").isin("cancelled", "pending"))
    orders = orders.withColumn("order_date", F.to_date("order_ts")).filter(
        F.col("order_date") <= cut
    )
    items = spark.table("order_items").withColumn("qty", F.coalesce("qty", F.lit(0)))
    item_agg = items.groupBy("order_id").agg(
        F.sum("qty").alias("units"), F.count("*").alias("lines")
    )
    returns = (
        spark.table("returns")
        .groupBy("order_id")
        .agg(F.sum("qty").alias("returned"), F.count("*").alias("n_returns"))
    )
    o = orders.join(item_agg, "order_id", "left").join(returns, "order_id", "left")
    o = o.withColumn("units", F.coalesce("units", F.lit(0)))
    o = o.withColumn("returned", F.coalesce("returned", F.lit(0)))
    o = o.withColumn("n_returns", F.coalesce("n_returns", F.lit(0)))
    o = o.withColumn("kept", F.col("units") - F.col("returned"))
    o = o.withColumn("digital", F.lower("channel").isin("web", "app"))
    per_customer = o.groupBy("customer_id").agg(
        F.count("*").alias("orders"),
        F.sum("amount").alias("spend"),
        F.sum("kept").alias("kept"),
        F.sum("n_returns").alias("n_returns"),
        F.sum(F.when(F.col("digital"), 1).otherwise(0)).alias("digital_orders"),
        F.max("order_date").alias("last_order"),
        F.min("order_date").alias("first_order"),
    )
    subs = spark.table("subscriptions").filter(
        F.col("ended_on").isNull() | (F.col("ended_on") > cut)
    )
    subs = (
        subs.filter(F.lower("status") == "active")
        .groupBy(F.col("account_id").alias("customer_id"))
        .agg(F.sum("mrr").alias("mrr"))
    )
    p = customers.join(per_customer, "customer_id", "left").join(subs, "customer_id", "left")
    for c in ["orders", "kept", "n_returns", "digital_orders"]:
        p = p.withColumn(c, F.coalesce(F.col(c), F.lit(0)))
    p = p.withColumn(
        "name", F.concat_ws(" ", F.initcap(F.trim("first_name")), F.initcap(F.trim("last_name")))
    )
    p = p.withColumn("recency", F.datediff(cut, "last_order"))
    p = p.withColumn(
        "recency_band",
        F.when(F.col("recency").isNull(), "never")
        .when(F.col("recency") <= 30, "hot")
        .when(F.col("recency") <= 180, "warm")
        .otherwise("cold"),
    )
    p = p.withColumn("segment", F.lower("segment"))
    p = p.withColumn(
        "points_rate",
        F.when(F.col("segment") == "gold", 3)
        .when(F.col("segment") == "silver", 2)
        .when(F.col("segment") == "vip", 5)
        .otherwise(1),
    )
    p = p.withColumn("points", F.col("points_rate") * F.col("orders"))
    p = p.withColumn("is_subscriber", F.col("mrr").isNotNull())
    p = p.withColumn(
        "digital_only", (F.col("orders") > 0) & (F.col("digital_orders") == F.col("orders"))
    )
    p = p.filter(~(F.col("customer_id").between(90, 99) | (F.col("customer_id") < 0)))
    profile = p.select(
        "customer_id",
        "name",
        "segment",
        "orders",
        "spend",
        "kept",
        "n_returns",
        "digital_only",
        "recency_band",
        "points",
        "is_subscriber",
        "mrr",
    )
    bands = profile.groupBy("recency_band", "is_subscriber").agg(
        F.count("*").alias("customers"),
        F.sum("points").alias("points"),
        F.sum("spend").alias("spend"),
    )
    return {"profile": profile, "bands": bands}
