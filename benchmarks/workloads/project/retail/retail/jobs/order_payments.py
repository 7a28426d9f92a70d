"""Core: what was paid and refunded per order."""

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F


def build(spark: SparkSession) -> DataFrame:
    payments = spark.table("retail_stg_payments")

    zero = F.lit(0).cast("decimal(12,2)")
    paid = F.when(~F.col("is_refund"), F.col("amount")).otherwise(zero)
    refunded = F.when(F.col("is_refund"), -F.col("amount")).otherwise(zero)
    sums = payments.groupBy("order_id").agg(
        F.sum(paid).alias("paid_amount"),
        F.sum(refunded).alias("refunded_amount"),
        F.count("payment_id").alias("payment_count"),
        F.min("paid_date").alias("first_paid_date"),
    )

    # the method of the largest payment; the earlier payment id breaks ties
    by_amount = Window.partitionBy("order_id").orderBy(
        F.desc("amount"), "payment_id", "method_group"
    )
    main_method = (
        payments.filter(~F.col("is_refund"))
        .withColumn("rank", F.row_number().over(by_amount))
        .filter(F.col("rank") == 1)
        .select("order_id", F.col("method_group").alias("main_method"))
    )

    df = sums.join(main_method, "order_id", "left").select(
        "order_id",
        "paid_amount",
        "refunded_amount",
        (F.col("paid_amount") - F.col("refunded_amount")).alias("balance_amount"),
        "payment_count",
        "first_paid_date",
        F.coalesce("main_method", F.lit("none")).alias("main_method"),
    )
    df.write.mode("overwrite").saveAsTable("retail_order_payments")
    return df
