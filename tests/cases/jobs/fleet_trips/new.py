# title: The kilometres are computed with integer division, so part kilometres are lost.
# expect: inequivalent

from pyspark.sql import functions as F

LONG_TRIP_KM = 80


def build(spark):
    trips = (
        spark.table("trips")
        .filter(F.col("distance_m") > 0)
        .withColumn("km", F.expr("distance_m div 1000"))
        .withColumn("trip_date", F.to_date("started_at"))
        .fillna(0, subset=["fuel_ml"])
    )
    vehicles = spark.table("vehicles").filter(F.col("fuel").isin("diesel", "petrol"))

    classified = (
        trips.join(vehicles, "vehicle_id")
        .withColumn("is_long", F.col("km") > LONG_TRIP_KM)
        .withColumn("depot", F.coalesce(F.col("depot"), F.lit("pool")))
    )
    return (
        classified.groupBy("depot", "fuel", "trip_date")
        .agg(
            F.count("*").alias("trips"),
            F.count(F.when(F.col("is_long"), 1)).alias("long_trips"),
            F.sum("distance_m").alias("distance_m"),
            F.sum("fuel_ml").alias("fuel_ml"),
            F.countDistinct("vehicle_id").alias("vehicles"),
        )
        .withColumn("all_long", F.col("trips") == F.col("long_trips"))
    )
