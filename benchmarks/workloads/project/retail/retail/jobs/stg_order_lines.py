"""Staging: priced order lines."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from retail.common.cleaning import non_negative

AMOUNT = "decimal(14,2)"


def build(spark: SparkSession) -> DataFrame:
    lines = spark.table("raw_order_lines")

    # lines without quantity or price are keyed in by mistake
    valid = lines.filter(F.col("quantity") > 0).filter(F.col("unit_price").isNotNull())

    priced = (
        valid.withColumn(
            "discount", F.coalesce(F.col("discount"), F.lit(0)).cast("decimal(10,2)")
        )
        .withColumn("gross_amount", (F.col("quantity") * F.col("unit_price")).cast(AMOUNT))
        .withColumn(
            "net_amount",
            non_negative(F.col("gross_amount") - F.col("discount")).cast(AMOUNT),
        )
        .withColumn("is_free", F.col("net_amount") == 0)
    )

    df = priced.select(
        "order_id",
        "line_no",
        "product_id",
        "quantity",
        "unit_price",
        "discount",
        "gross_amount",
        "net_amount",
        "is_free",
    )
    df.write.mode("overwrite").saveAsTable("retail_stg_order_lines")
    return df
