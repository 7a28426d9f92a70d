from pyspark.sql import Window, functions as F


def build(spark, plant_lines=("L1", "L2")):
    w = Window.partitionBy("wo_id", "serial_no").orderBy(
        F.asc("inspected_at"), F.asc("inspection_id")
    )
    first_checks = (
        spark.table("inspections")
        .filter(F.col("serial_no").isNotNull())
        .withColumn("result", F.upper(F.trim("result")))
        .withColumn("rn", F.row_number().over(w))
        .filter(F.col("rn") == 1)
        .drop("rn")
    )
    orders = spark.table("work_orders").filter(F.col("line_id").isin(*plant_lines))
    return (
        first_checks.join(orders, "wo_id")
        .withColumn("passed", F.when(F.col("result") == "PASS", 1).otherwise(0))
        .groupBy("line_id", "product_id")
        .agg(
            F.count("*").alias("units"),
            F.sum("passed").alias("passed"),
            F.avg("measured").alias("avg_measured"),
            F.min("inspected_at").alias("first_inspection"),
        )
        .withColumn("failed", F.col("units") - F.col("passed"))
    )
