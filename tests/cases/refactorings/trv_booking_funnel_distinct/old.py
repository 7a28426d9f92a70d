from pyspark.sql import functions as F

STEPS = ["search", "hotel", "checkout"]
DAY = "view_date"


def build(spark, start="2024-03-01", end="2024-03-31"):
    views = (
        spark.table("page_views")
        .withColumn(DAY, F.to_date("viewed_at"))
        .filter(F.col(DAY).between(start, end))
        .filter(F.col("page").isNotNull())
        .filter(F.col("hotel_id").isNotNull())
        .withColumn("page", F.lower("page"))
    )
    base = views.select(DAY, "hotel_id").distinct()
    funnel = base
    for step in STEPS:
        sessions = (
            views.filter(F.col("page") == step)
            .groupBy(DAY, "hotel_id")
            .agg(F.countDistinct("session_id").alias(f"{step}_sessions"))
        )
        funnel = funnel.join(sessions, [DAY, "hotel_id"], "left")
        funnel = funnel.withColumn(
            f"{step}_sessions", F.coalesce(F.col(f"{step}_sessions"), F.lit(0))
        )
    bookings = (
        spark.table("bookings")
        .filter(F.coalesce(F.col("status"), F.lit("CONFIRMED")) != "CANCELLED")
        .withColumn(DAY, F.to_date("booked_at"))
        .groupBy(DAY, "hotel_id")
        .agg(F.count("*").alias("n_bookings"), F.sum("total_amount").alias("revenue"))
    )
    hotels = (
        spark.table("hotels")
        .withColumn("country_code", F.coalesce("country_code", F.lit("??")))
        .select("hotel_id", "hotel_name", "country_code")
    )
    daily = (
        funnel.join(bookings, [DAY, "hotel_id"], "left")
        .withColumn("n_bookings", F.coalesce("n_bookings", F.lit(0)))
        .withColumn("revenue", F.coalesce("revenue", F.lit(0)))
        .join(hotels, "hotel_id", "left")
        .withColumn("has_checkout", F.col("checkout_sessions") > 0)
        .select(
            DAY,
            "hotel_id",
            "hotel_name",
            "country_code",
            "search_sessions",
            "hotel_sessions",
            "checkout_sessions",
            "n_bookings",
            "revenue",
            "has_checkout",
        )
    )
    by_country = (
        daily.groupBy("country_code")
        .agg(
            F.sum("search_sessions").alias("search_sessions"),
            F.sum("hotel_sessions").alias("hotel_sessions"),
            F.sum("checkout_sessions").alias("checkout_sessions"),
            F.sum("n_bookings").alias("n_bookings"),
            F.sum("revenue").alias("revenue"),
        )
        .filter(F.col("hotel_sessions") > 0)
    )
    return {"daily_funnel": daily, "country_funnel": by_country}
