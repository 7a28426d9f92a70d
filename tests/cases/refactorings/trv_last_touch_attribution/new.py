# title: Time window moved from the outer join condition into a filter: bookings whose touches are all outside the window vanish instead of being direct
# expect: inequivalent
# kind: outer join filter
from pyspark.sql import functions as F

LOOKBACK_DAYS = 30
TOUCH_PAGES = ("search", "hotel", "checkout")


def build(spark):
    bookings = spark.table("bookings").where(
        "customer_id IS NOT NULL AND (status IS NULL OR status <> 'CANCELLED')"
    )
    touches = spark.table("page_views").where(F.col("page").isin(*TOUCH_PAGES))
    last_touch = (
        bookings.alias("b")
        .join(touches.alias("v"), F.col("b.customer_id") == F.col("v.customer_id"), "left")
        .where(
            f"""v.viewed_at IS NULL
                OR (v.viewed_at < b.booked_at AND v.viewed_at >= b.booked_at - INTERVAL {LOOKBACK_DAYS} DAYS)"""
        )
        .groupBy("b.booking_id", "b.hotel_id", "b.total_amount")
        .agg(F.max_by("v.page", F.struct("v.viewed_at", "v.view_id")).alias("page"))
    )
    hotels = spark.table("hotels").select("hotel_id", "country_code")
    return (
        last_touch.withColumn("last_page", F.coalesce("page", F.lit("direct")))
        .join(F.broadcast(hotels), "hotel_id", "left")
        .groupBy("last_page", "country_code")
        .agg(F.count("*").alias("bookings"), F.sum("total_amount").alias("revenue"))
    )
