"""Staging of telemetry events: implausible readings out, bands and dates in."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fleet.lib.cleaning import normalise_code
from fleet.lib.units import metres_to_km, speed_band

MAX_SPEED = 200.0


def plausible(df: DataFrame) -> DataFrame:
    """Readings the sensor can deliver; a missing speed is accepted."""
    speed = F.col("speed_kmh")
    return df.where(speed.isNull() | ((speed >= 0) & (speed <= MAX_SPEED)))


def run(spark: SparkSession) -> DataFrame:
    events = plausible(spark.table("src_telemetry"))
    typed = events.withColumn(
        "event_type", F.coalesce(normalise_code("event_type"), F.lit("PING"))
    )
    # heartbeat messages carry no reading
    typed = typed.where(F.col("event_type") != "HEARTBEAT")
    df = typed.select(
        "event_id",
        "vehicle_id",
        "event_ts",
        F.to_date("event_ts").alias("event_date"),
        "event_type",
        "speed_kmh",
        speed_band("speed_kmh").alias("speed_band"),
        F.when(F.col("fuel_level").between(0, 100), F.col("fuel_level")).alias("fuel_level"),
        metres_to_km("odometer_m").alias("odometer_km"),
    )
    df.write.mode("overwrite").saveAsTable("fleet_stg_telemetry")
    return df
