# title: The exposures are rounded to one digit instead of two.
# expect: inequivalent

from pyspark.sql import functions as F

BASE = "USD"


def eur_rates(spark, day):
    return (
        spark.read.schema("currency STRING, rate_date DATE, rate DECIMAL(10,4)")
        .csv("data/rates.csv", header=True)
        .filter(F.col("rate_date") == F.lit(day).cast("date"))
        .filter(F.col("rate") > 0)
        .groupBy("currency")
        .agg(F.max("rate").alias("rate"))
    )


def build(spark, day: str = "2024-02-29"):
    rates = eur_rates(spark, day)
    positions = (
        spark.table("positions")
        .filter(F.col("trade_date") <= F.lit(day).cast("date"))
        .fillna(BASE, subset=["currency"])
        .withColumn("currency", F.upper("currency"))
        .withColumn("desk", F.coalesce(F.col("desk"), F.lit("house")))
    )

    converted = (
        positions.join(rates, "currency", "left")
        .withColumn("rate", F.when(F.col("currency") == BASE, F.lit(1)).otherwise(F.col("rate")))
        .filter(F.col("rate").isNotNull())
        .withColumn("exposure", F.round(F.col("rate") * F.col("notional"), 1).cast("decimal(28,2)"))
    )
    return converted.groupBy("desk", "currency").agg(
        F.sum("exposure").alias("exposure"),
        F.sum("notional").alias("notional"),
        F.count("*").alias("positions"),
    )
