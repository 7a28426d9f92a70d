from pyspark.sql import Window, functions as F

LOOKBACK_DAYS = 30


def build(spark):
    bookings = (
        spark.table("bookings")
        .filter(F.col("customer_id").isNotNull())
        .filter((F.col("status") != "CANCELLED") | F.col("status").isNull())
        .select("booking_id", "customer_id", "hotel_id", "booked_at", "total_amount")
    )
    touches = (
        spark.table("page_views")
        .filter(F.col("page").isin("search", "hotel", "checkout"))
        .select(
            "view_id",
            F.col("customer_id").alias("view_customer"),
            "page",
            "viewed_at",
            "session_id",
        )
    )
    w = Window.partitionBy("booking_id").orderBy(F.col("viewed_at").desc(), F.col("view_id").desc())
    attributed = (
        bookings.join(
            touches,
            (F.col("customer_id") == F.col("view_customer"))
            & (F.col("viewed_at") < F.col("booked_at"))
            & (F.col("viewed_at") >= F.col("booked_at") - F.expr(f"INTERVAL {LOOKBACK_DAYS} DAYS")),
            "left",
        )
        .withColumn("rn", F.row_number().over(w))
        .filter(F.col("rn") == 1)
        .withColumn("last_page", F.coalesce("page", F.lit("direct")))
    )
    return (
        attributed.join(
            spark.table("hotels").select("hotel_id", "country_code"), "hotel_id", "left"
        )
        .groupBy("last_page", "country_code")
        .agg(F.count("*").alias("bookings"), F.sum("total_amount").alias("revenue"))
    )
