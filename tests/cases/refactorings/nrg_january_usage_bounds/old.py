from pyspark.sql import functions as F

MONTH_START = "2024-01-01"
NEXT_MONTH = "2024-02-01"


def build(spark, start=MONTH_START, end=NEXT_MONTH):
    reads = spark.table("meter_reads").filter(
        (F.col("read_at") >= F.to_timestamp(F.lit(start)))
        & (F.col("read_at") < F.to_timestamp(F.lit(end)))
    )
    usage = reads.groupBy("meter_id").agg(
        F.sum("kwh").alias("kwh"), F.countDistinct(F.to_date("read_at")).alias("days")
    )
    return (
        spark.table("meters")
        .join(usage, "meter_id", "left")
        .join(spark.table("tariffs"), "tariff", "left")
        .withColumn("kwh", F.coalesce("kwh", F.lit(0)))
        .withColumn(
            "cost", (F.col("kwh").cast("decimal(12,0)") * F.col("price")).cast("decimal(14,2)")
        )
        .groupBy("customer_type")
        .agg(
            F.sum("kwh").alias("kwh"),
            F.sum("cost").alias("cost"),
            F.sum("days").alias("meter_days"),
            F.count("*").alias("meters"),
        )
    )
