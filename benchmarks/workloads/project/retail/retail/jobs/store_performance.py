"""Mart: sales figures of every physical store."""

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from retail.common.dates import is_weekend


def best_days(daily: DataFrame) -> DataFrame:
    """The day with the highest sales of every store, the earliest on ties."""
    w = Window.partitionBy("store_id").orderBy(F.desc("net_amount"), F.asc("order_date"))
    return (
        daily.withColumn("rn", F.row_number().over(w))
        .where("rn = 1")
        .select("store_id", F.col("order_date").alias("best_day"))
    )


def build(spark: SparkSession) -> DataFrame:
    stores = spark.table("retail_stg_stores")
    daily = spark.table("retail_store_daily_sales")

    weekend_amount = F.when(is_weekend("order_date"), F.col("net_amount")).otherwise(F.lit(0))
    sales = daily.groupBy("store_id").agg(
        F.count("order_date").alias("trading_days"),
        F.sum("order_count").alias("order_count"),
        F.sum("net_amount").alias("net_amount"),
        F.sum(weekend_amount).alias("weekend_amount"),
    )

    open_stores = stores.filter(F.col("is_open"))
    amount = F.col("net_amount").cast("double")
    df = (
        open_stores.join(sales, "store_id", "left")
        .join(best_days(daily), "store_id", "left")
        .select(
            "store_id",
            "store_name",
            "country",
            F.coalesce("trading_days", F.lit(0)).alias("trading_days"),
            F.coalesce("order_count", F.lit(0)).alias("order_count"),
            "net_amount",
            "weekend_amount",
            F.when(F.col("area_sqm") > 0, amount / F.col("area_sqm")).alias("amount_per_sqm"),
            "best_day",
        )
    )
    df.write.mode("overwrite").saveAsTable("retail_store_performance")
    return df
