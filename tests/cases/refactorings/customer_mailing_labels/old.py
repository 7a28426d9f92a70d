from pyspark.sql import functions as F


def clean(name):
    c = F.trim(F.col(name))
    return F.when(c == "", F.lit(None)).otherwise(F.initcap(c))


def build(spark):
    customers = spark.table("customers")
    orders = spark.table("orders")
    labels = customers.select(
        "customer_id",
        F.concat_ws(" ", clean("first_name"), clean("last_name")).alias("addressee"),
        F.upper(F.trim("country")).alias("country"),
        F.lpad(F.col("customer_id").cast("string"), 8, "0").alias("label_no"),
    )
    spend = (
        orders.filter(~F.col("status").isin("cancelled", "returned"))
        .groupBy("customer_id")
        .agg(F.sum("amount").alias("spend"), F.count("*").alias("n_orders"))
    )
    out = labels.join(spend, "customer_id", "left")
    return out.select(
        "label_no",
        "addressee",
        "country",
        F.coalesce("n_orders", F.lit(0)).alias("n_orders"),
        "spend",
    ).filter(F.col("country").isNotNull())
