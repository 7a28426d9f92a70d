# title: Stay nights from day offsets instead of a date sequence, hotel join before the aggregation
# expect: equivalent
# kind: date logic
from pyspark.sql import functions as F

OCCUPANCY_COLS = [
    "hotel_id",
    "night",
    "rooms_sold",
    "hotel_name",
    "rooms",
    "rooms_free",
    "sold_out",
    "is_weekend",
]
WEEKEND = (6, 7)


def _nights(spark):
    return (
        spark.table("bookings")
        .where("status = 'CONFIRMED' AND datediff(checkout, checkin) > 0")
        .select(
            "hotel_id",
            "checkin",
            F.explode(F.expr("sequence(0, datediff(checkout, checkin) - 1)")).alias("n"),
        )
        .select("hotel_id", F.expr("date_add(checkin, n)").alias("night"))
    )


def build(spark, month_start="2024-03-01", month_end="2024-03-31"):
    hotels = spark.table("hotels").where("rooms > 0").select("hotel_id", "hotel_name", "rooms")
    occupancy = (
        _nights(spark)
        .where(F.col("night") >= month_start)
        .where(F.col("night") <= month_end)
        .join(F.broadcast(hotels), "hotel_id")
        .groupBy("hotel_id", "night", "hotel_name", "rooms")
        .agg(F.count(F.lit(1)).alias("rooms_sold"))
        .withColumn("rooms_free", F.expr("rooms - rooms_sold"))
        .withColumn("sold_out", F.expr("rooms_sold >= rooms"))
        .withColumn("is_weekend", F.dayofweek("night").isin(*WEEKEND))
        .select(*OCCUPANCY_COLS)
    )
    summary = occupancy.groupBy("hotel_id", "hotel_name").agg(
        F.sum("rooms_sold").alias("room_nights"),
        F.expr("sum(CASE WHEN is_weekend THEN rooms_sold ELSE 0 END)").alias("weekend_room_nights"),
        F.count_if("sold_out").alias("sold_out_nights"),
    )
    return {"occupancy": occupancy, "summary": summary}
