from pyspark.sql import functions as F


def build(spark, month="2024-03-01"):
    start = F.lit(month).cast("date")
    bookings = (
        spark.table("bookings")
        .filter(F.to_date("booked_at") >= start)
        .filter(F.to_date("booked_at") <= F.last_day(start))
        .withColumn("channel", F.coalesce(F.lower(F.trim("channel")), F.lit("unknown")))
        .withColumn("cancelled", F.coalesce(F.col("status") == "CANCELLED", F.lit(False)))
        .withColumn("lead_days", F.datediff("checkin", F.to_date("booked_at")))
    )
    stars = spark.table("hotels").select("hotel_id", F.coalesce("stars", F.lit(0)).alias("stars"))
    return (
        bookings.join(stars, "hotel_id")
        .groupBy("channel", "stars")
        .agg(
            F.count("*").alias("n_bookings"),
            F.sum(F.col("cancelled").cast("int")).alias("n_cancelled"),
            F.sum(F.when(~F.col("cancelled"), F.col("total_amount"))).alias("revenue"),
            F.max("lead_days").alias("max_lead_days"),
        )
    )
