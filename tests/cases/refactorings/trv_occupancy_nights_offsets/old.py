from pyspark.sql import functions as F


def build(spark, month_start="2024-03-01", month_end="2024-03-31"):
    stays = (
        spark.table("bookings")
        .filter(F.col("status") == "CONFIRMED")
        .filter(F.col("checkout") > F.col("checkin"))
    )
    nights = (
        stays.withColumn("night", F.explode(F.sequence("checkin", F.date_sub("checkout", 1))))
        .filter(F.col("night").between(month_start, month_end))
        .select("booking_id", "hotel_id", "night")
    )
    hotels = (
        spark.table("hotels").filter(F.col("rooms") > 0).select("hotel_id", "hotel_name", "rooms")
    )
    occupancy = (
        nights.groupBy("hotel_id", "night")
        .agg(F.count("*").alias("rooms_sold"))
        .join(hotels, "hotel_id")
        .withColumn("rooms_free", F.col("rooms") - F.col("rooms_sold"))
        .withColumn("sold_out", F.col("rooms_free") <= 0)
        .withColumn("is_weekend", F.dayofweek("night").isin(6, 7))
    )
    summary = occupancy.groupBy("hotel_id", "hotel_name").agg(
        F.sum("rooms_sold").alias("room_nights"),
        F.sum(F.when(F.col("is_weekend"), F.col("rooms_sold")).otherwise(0)).alias(
            "weekend_room_nights"
        ),
        F.sum(F.when(F.col("sold_out"), 1).otherwise(0)).alias("sold_out_nights"),
    )
    return {"occupancy": occupancy, "summary": summary}
