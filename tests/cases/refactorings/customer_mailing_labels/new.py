# title: text cleaning moved to selectExpr, but empty names are no longer turned to null before concat_ws, so a stray space is left
# expect: inequivalent
# kind: text cleaning
from pyspark.sql import functions as F


def build(spark):
    labels = (
        spark.table("customers")
        .withColumn("country", F.expr("upper(trim(country))"))
        .where("country is not null")
        .selectExpr(
            "customer_id",
            "concat_ws(' ', initcap(trim(first_name)), initcap(trim(last_name))) as addressee",
            "country",
            "lpad(cast(customer_id as string), 8, '0') as label_no",
        )
    )
    spend = (
        spark.table("orders")
        .where("status <> 'cancelled' and status <> 'returned'")
        .groupBy("customer_id")
        .agg(F.sum("amount").alias("spend"), F.count(F.lit(1)).alias("n_orders"))
    )
    return (
        labels.join(spend, on=["customer_id"], how="left")
        .fillna(0, subset=["n_orders"])
        .select("label_no", "addressee", "country", "n_orders", "spend")
    )
