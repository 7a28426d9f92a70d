from pyspark.sql import functions as F


def build(spark, year: int = 2023):
    reads = (
        spark.table("meter_reads")
        .withColumn("year", F.year("read_date"))
        .withColumn("month", F.month("read_date"))
        .withColumn("weekday", F.dayofweek("read_date"))
        .withColumn("is_night", F.col("tariff") == "night")
        .filter(F.col("year") == year)
        .filter(F.col("quality").isin("A", "B"))
    )
    meters = (
        spark.table("meters")
        .filter(F.col("installed") < F.lit(f"{year}-01-01").cast("date"))
        .withColumn("big", F.col("max_kw") >= 30)
        .select("meter_id", "customer_id", "installed", "max_kw", "big")
    )
    outages = (
        spark.table("outages")
        .filter(F.col("cause") != "planned")
        .select("meter_id", F.col("outage_date").alias("read_date"))
        .distinct()
    )

    usable = reads.join(outages, ["meter_id", "read_date"], "left_anti")
    extremes = (
        usable.select("meter_id", "month", "kwh", "tariff", "is_night")
        .distinct()
        .groupBy("meter_id", "month")
        .agg(F.min("kwh").alias("lowest"), F.max("kwh").alias("highest"))
        .distinct()
    )
    return (
        extremes.join(meters, "meter_id")
        .withColumn("spread", F.col("highest") - F.col("lowest"))
        .select("customer_id", "meter_id", "month", "big", "lowest", "highest", "spread")
    )
