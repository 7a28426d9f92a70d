from pyspark.sql import Window, functions as F

PEAK_FROM, PEAK_TO = 17, 20
EXPORT_PRICE = "0.0900"
MONEY = "decimal(14,2)"


def month_reads(spark, start, end):
    return spark.table("meter_reads").filter(
        (F.col("read_at") >= F.lit(start).cast("timestamp"))
        & (F.col("read_at") < F.lit(end).cast("timestamp"))
    )


def usage_per_meter(reads):
    is_peak = F.hour("read_at").between(PEAK_FROM, PEAK_TO)
    return reads.groupBy("meter_id").agg(
        F.sum("kwh").alias("kwh"),
        F.sum(F.coalesce(F.col("export_kwh"), F.lit(0).cast("bigint"))).alias("export_kwh"),
        F.sum(F.when(is_peak, F.col("kwh")).otherwise(F.lit(0))).alias("peak_kwh"),
        F.sum(F.when(F.col("estimated"), 1).otherwise(0)).alias("estimated_reads"),
        F.count("*").alias("n_reads"),
    )


def build(spark, start="2024-01-01", end="2024-02-01", top_n=2):
    meters = spark.table("meters")
    tariffs = spark.table("tariffs")
    usage = usage_per_meter(month_reads(spark, start, end))

    priced = (
        usage.join(meters, "meter_id")
        .join(tariffs, "tariff", "left")
        .withColumn(
            "energy_cost", (F.col("kwh").cast("decimal(12,0)") * F.col("price")).cast(MONEY)
        )
        .withColumn(
            "export_credit",
            (
                F.col("export_kwh").cast("decimal(12,0)") * F.lit(EXPORT_PRICE).cast("decimal(8,4)")
            ).cast(MONEY),
        )
        .withColumn("standing", F.coalesce("standing", F.lit(0).cast("decimal(8,2)")))
        .withColumn("net_kwh", F.col("kwh") - F.col("export_kwh"))
    )
    bills = (
        priced.filter(F.col("price").isNotNull())
        .withColumn(
            "bill", (F.col("energy_cost") + F.col("standing") - F.col("export_credit")).cast(MONEY)
        )
        .withColumn("all_estimated", F.col("estimated_reads") == F.col("n_reads"))
        .select(
            "meter_id",
            "zone",
            "tariff",
            "kwh",
            "peak_kwh",
            "net_kwh",
            "energy_cost",
            "export_credit",
            "bill",
            "all_estimated",
        )
    )
    zone_totals = bills.groupBy("zone").agg(
        F.sum("bill").alias("zone_bill"),
        F.sum("net_kwh").alias("zone_net_kwh"),
        F.count("*").alias("billed_meters"),
        F.count(F.when(F.col("all_estimated"), 1)).alias("fully_estimated"),
    )
    ranked = bills.withColumn(
        "place",
        F.row_number().over(
            Window.partitionBy("zone").orderBy(F.col("bill").desc(), F.col("meter_id").asc())
        ),
    )
    top_bills = (
        ranked.filter(F.col("place") <= top_n)
        .join(zone_totals.select("zone", "zone_bill", "billed_meters"), "zone")
        .select("zone", "place", "meter_id", "bill", "zone_bill", "billed_meters")
    )
    unbilled = meters.join(bills.select("meter_id"), "meter_id", "left_anti").select(
        "meter_id", "zone", "tariff"
    )
    return {
        "bills": bills,
        "zone_totals": zone_totals,
        "top_bills": top_bills,
        "unbilled": unbilled,
    }
