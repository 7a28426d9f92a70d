# title: The grading function returns early instead of carrying a result variable.
# expect: equivalent

from pyspark.sql import functions as F
from pyspark.sql.functions import udf


@udf("int")
def grade(value, low, high):
    if value is None:
        return 3
    if low is None or high is None:
        return 2
    if low <= value <= high:
        return 0
    return 1


def build(spark):
    readings = spark.table("readings").withColumn("day", F.to_date("read_at"))
    sensors = spark.table("sensors")

    graded = (
        readings.filter(F.col("battery").isNull() | (F.col("battery") > 10))
        .join(sensors, "sensor_id")
        .withColumn("grade", grade(F.col("value"), F.col("low"), F.col("high")))
        .withColumn("zone", F.lower(F.coalesce(F.col("zone"), F.lit("none"))))
    )
    per_day = (
        graded.groupBy("zone", "day", "grade")
        .agg(
            F.count("*").alias("readings"),
            F.countDistinct("sensor_id").alias("sensors"),
            F.min("value").alias("lowest"),
            F.max("value").alias("highest"),
        )
        .withColumn(
            "label",
            F.when(F.col("grade") == 0, "ok")
            .when(F.col("grade") == 1, "out of range")
            .when(F.col("grade") == 2, "no limits")
            .otherwise("missing"),
        )
    )
    return per_day.select("zone", "day", "label", "readings", "sensors", "lowest", "highest")
