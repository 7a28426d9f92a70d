# title: First inspection by join with min(inspected_at): two inspections of a unit at the same time are both kept
# expect: inequivalent
# kind: ties
from pyspark.sql import functions as F

KEY = ["wo_id", "serial_no"]


def build(spark, plant_lines=("L1", "L2")):
    ins = spark.table("inspections").where("serial_no IS NOT NULL")
    first_ts = ins.groupBy(*KEY).agg(F.min("inspected_at").alias("inspected_at"))
    first_checks = ins.join(first_ts, KEY + ["inspected_at"]).select(
        "wo_id", "inspected_at", "measured", F.expr("upper(trim(result)) = 'PASS'").alias("is_pass")
    )
    orders = (
        spark.table("work_orders")
        .where(F.col("line_id").isin(list(plant_lines)))
        .select("wo_id", "line_id", "product_id")
    )
    return (
        first_checks.join(F.broadcast(orders), "wo_id")
        .groupBy("line_id", "product_id")
        .agg(
            F.count(F.lit(1)).alias("units"),
            F.sum(F.when(F.col("is_pass"), 1).otherwise(0)).alias("passed"),
            F.avg("measured").alias("avg_measured"),
            F.min("inspected_at").alias("first_inspection"),
        )
        .withColumn("failed", F.expr("units - passed"))
    )
