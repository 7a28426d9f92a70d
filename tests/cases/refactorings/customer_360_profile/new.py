# title: large profile job split into helpers: filters pushed down, fillna, points rate by lookup join, recency bands as date bounds, De Morgan on the id ranges
# expect: equivalent
# kind: withColumn vs select
from pyspark.sql import functions as F

POINTS = [("gold", 3), ("silver", 2), ("vip", 5)]
ZERO = ["orders", "kept", "n_returns", "digital_orders"]


def order_facts(spark, as_of):
    orders = (
        spark.table("orders")
        .where("lower(trim(status)) not in ('cancelled', 'pending')")
        .where(F.col("order_ts") < F.date_add(F.lit(as_of).cast("date"), 1).cast("timestamp"))
        .selectExpr(
            "order_id",
            "customer_id",
            "amount",
            "cast(order_ts as date) as order_date",
            "lower(channel) as channel",
        )
    )
    units = (
        spark.table("order_items")
        .groupBy("order_id")
        .agg(F.sum(F.coalesce("qty", F.lit(0))).alias("units"))
    )
    back = spark.sql(
        "SELECT order_id, sum(qty) AS returned, count(*) AS n_returns FROM returns GROUP BY order_id"
    )
    return (
        orders.join(back, "order_id", "left")
        .join(units, "order_id", "left")
        .fillna(0, subset=["units", "returned", "n_returns"])
        .selectExpr(
            "customer_id",
            "amount",
            "order_date",
            "n_returns",
            "units - returned as kept",
            "channel = 'web' or channel = 'app' as digital",
        )
    )


def active_mrr(spark, as_of):
    return (
        spark.table("subscriptions")
        .where(f"lower(status) = 'active' and not coalesce(ended_on <= date'{as_of}', false)")
        .groupBy("account_id")
        .agg(F.sum("mrr").alias("mrr"))
        .withColumnRenamed("account_id", "customer_id")
    )


def build(spark, as_of="2024-12-31"):
    facts = (
        order_facts(spark, as_of)
        .where("customer_id >= 0 and (customer_id < 90 or customer_id > 99)")
        .groupBy("customer_id")
        .agg(
            F.count(F.lit(1)).alias("orders"),
            F.sum("amount").alias("spend"),
            F.sum("kept").alias("kept"),
            F.sum("n_returns").alias("n_returns"),
            F.count(F.when(F.col("digital"), 1)).alias("digital_orders"),
            F.max("order_date").alias("last_order"),
        )
    )
    rates = spark.createDataFrame(POINTS, "segment string, rate int")
    profile = (
        spark.table("customers")
        .where((F.col("customer_id") >= 0) & ~F.col("customer_id").between(90, 99))
        .selectExpr(
            "customer_id",
            "concat_ws(' ', initcap(trim(first_name)), initcap(trim(last_name))) as name",
            "lower(segment) as segment",
        )
        .join(facts, "customer_id", "left")
        .join(active_mrr(spark, as_of), "customer_id", "left")
        .join(F.broadcast(rates), "segment", "left")
        .na.fill(0, ZERO)
        .na.fill(1, ["rate"])
        .select(
            "customer_id",
            "name",
            "segment",
            "orders",
            "spend",
            "kept",
            "n_returns",
            F.expr("orders > 0 and digital_orders = orders").alias("digital_only"),
            F.expr(f"""case when last_order is null then 'never'
                            when last_order >= date_sub(date'{as_of}', 30) then 'hot'
                            when last_order >= date_sub(date'{as_of}', 180) then 'warm'
                            else 'cold' end""").alias("recency_band"),
            (F.col("rate") * F.col("orders")).alias("points"),
            F.expr("mrr is not null").alias("is_subscriber"),
            "mrr",
        )
    )
    bands = profile.groupBy("recency_band", "is_subscriber").agg(
        F.count(F.lit(1)).alias("customers"),
        F.sum("points").alias("points"),
        F.sum("spend").alias("spend"),
    )
    return {"profile": profile, "bands": bands}
