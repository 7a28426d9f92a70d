# title: Funnel steps in one aggregation, but views are counted instead of distinct sessions
# expect: inequivalent
# kind: distinct forgotten
from pyspark.sql import functions as F

STEPS = ("search", "hotel", "checkout")
KEYS = ["view_date", "hotel_id"]
NON_CANCELLED = "status IS NULL OR status <> 'CANCELLED'"


def _sessions(step):
    return F.count(F.when(F.lower("page") == step, F.col("session_id"))).alias(f"{step}_sessions")


def build(spark, start="2024-03-01", end="2024-03-31"):
    funnel = (
        spark.table("page_views")
        .where("page IS NOT NULL AND hotel_id IS NOT NULL")
        .where(f"viewed_at >= TIMESTAMP'{start} 00:00:00'")
        .where(f"viewed_at < TIMESTAMP'{end} 00:00:00' + INTERVAL 1 DAY")
        .groupBy(F.to_date("viewed_at").alias("view_date"), "hotel_id")
        .agg(*[_sessions(s) for s in STEPS])
    )
    spark.table("bookings").where(NON_CANCELLED).createOrReplaceTempView("live_bookings")
    bookings = spark.sql(
        """
        SELECT CAST(booked_at AS DATE) AS view_date, hotel_id, COUNT(1) AS n_bookings, SUM(total_amount) AS revenue
        FROM live_bookings
        GROUP BY CAST(booked_at AS DATE), hotel_id
        """
    )
    hotels = spark.table("hotels").selectExpr(
        "hotel_id", "hotel_name", "coalesce(country_code, '??') AS country_code"
    )
    daily = (
        funnel.join(bookings, KEYS, "left")
        .join(F.broadcast(hotels), "hotel_id", "left")
        .select(
            *KEYS,
            "hotel_name",
            "country_code",
            *[f"{s}_sessions" for s in STEPS],
            F.coalesce("n_bookings", F.lit(0)).alias("n_bookings"),
            F.coalesce("revenue", F.lit(0)).alias("revenue"),
            (F.col("checkout_sessions") > 0).alias("has_checkout"),
        )
    )
    measures = [f"{s}_sessions" for s in STEPS] + ["n_bookings", "revenue"]
    by_country = (
        daily.groupBy("country_code")
        .agg(*[F.sum(m).alias(m) for m in measures])
        .where("hotel_sessions > 0")
    )
    return {"daily_funnel": daily, "country_funnel": by_country}
