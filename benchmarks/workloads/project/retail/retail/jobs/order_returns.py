"""Core: returned units per sold order line."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

MONEY = "decimal(14,2)"


def build(spark: SparkSession) -> DataFrame:
    lines = spark.table("retail_stg_order_lines")
    returns = spark.table("retail_stg_returns")

    per_line = returns.groupBy("order_id", "line_no").agg(
        F.sum("returned_quantity").alias("sum_returned"),
        F.max("returned_on").alias("last_returned_on"),
        F.sum(F.when(F.col("reason") == "damaged", 1).otherwise(0)).alias("damage_reports"),
    )

    joined = lines.join(per_line, ["order_id", "line_no"], "left")

    # nobody can return more than was bought
    returned = F.least(F.col("quantity").cast("bigint"), F.coalesce("sum_returned", F.lit(0)))
    df = (
        joined.withColumn("returned_units", returned)
        .withColumn(
            "refund_amount",
            (F.col("net_amount") * F.col("returned_units") / F.col("quantity")).cast(MONEY),
        )
        .withColumn("is_full_return", F.col("returned_units") == F.col("quantity"))
        .select(
            "order_id",
            "line_no",
            "product_id",
            "quantity",
            "net_amount",
            "returned_units",
            "refund_amount",
            "is_full_return",
            "last_returned_on",
            "damage_reports",
        )
    )
    df.write.mode("overwrite").saveAsTable("retail_order_returns")
    return df
