from pyspark.sql import functions as F


def build(spark):
    zero = F.lit(0).cast("decimal(12,3)")
    gen = spark.table("generation").withColumn(
        "bias", F.col("mwh") - F.coalesce(F.col("forecast"), zero)
    )
    per_plant = gen.groupBy("plant_id").agg(
        F.sum("bias").alias("bias"),
        F.sum(F.when(F.col("forecast").isNull(), 1).otherwise(0)).alias("unforecast_hours"),
        F.count("*").alias("hours"),
    )
    return (
        spark.table("plants")
        .join(per_plant, "plant_id", "left")
        .groupBy("owner")
        .agg(
            F.sum("bias").cast("decimal(23,3)").alias("bias"),
            F.sum("unforecast_hours").alias("unforecast_hours"),
            F.sum("hours").alias("hours"),
        )
    )
