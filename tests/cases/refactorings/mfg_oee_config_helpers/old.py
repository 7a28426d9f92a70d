from pyspark.sql import functions as F

SHIFT_MINUTES = 480
SHIFTS = ["A", "B", "N"]


def build(spark, start="2024-05-01", end="2024-05-31"):
    counts = (
        spark.table("production_counts")
        .filter(F.col("shift_date") >= start)
        .filter(F.col("shift_date") <= end)
        .filter(F.col("shift").isin(SHIFTS))
        .withColumn("good_qty", F.coalesce("good_qty", F.lit(0)))
        .withColumn("scrap_qty", F.coalesce("scrap_qty", F.lit(0)))
        .withColumn("run_minutes", F.coalesce("run_minutes", F.lit(0)))
        .withColumn("total_qty", F.col("good_qty") + F.col("scrap_qty"))
    )
    orders = (
        spark.table("work_orders")
        .filter(F.coalesce(F.col("status"), F.lit("OPEN")) != "CANCELLED")
        .withColumn("line_id", F.coalesce("line_id", F.lit("L0")))
        .select("wo_id", "product_id", "line_id", "planned_qty")
    )
    products = spark.table("products").select(
        "product_id", "family", "ideal_rate_per_hour", "std_cost"
    )
    joined = (
        counts.join(orders, "wo_id")
        .join(products, "product_id", "left")
        .withColumn("family", F.coalesce("family", F.lit("OTHER")))
        .withColumn(
            "ideal_qty", F.col("run_minutes") * F.coalesce("ideal_rate_per_hour", F.lit(0)) / 60
        )
        .withColumn("scrap_cost", F.col("scrap_qty") * F.coalesce("std_cost", F.lit(0)))
    )
    by_shift = joined.groupBy("line_id", "shift_date", "shift").agg(
        F.sum("good_qty").alias("good_qty"),
        F.sum("total_qty").alias("total_qty"),
        F.sum("run_minutes").alias("run_minutes"),
        F.sum("scrap_cost").alias("scrap_cost"),
        F.max("ideal_qty").alias("max_ideal_qty"),
    )
    oee = (
        by_shift.withColumn("availability", F.round(F.col("run_minutes") / SHIFT_MINUTES, 3))
        .withColumn(
            "quality",
            F.when(F.col("total_qty") > 0, F.round(F.col("good_qty") / F.col("total_qty"), 3)),
        )
        .withColumn("scrap_free", F.col("good_qty") == F.col("total_qty"))
        .withColumn(
            "grade",
            F.when(F.col("quality") >= 0.99, "A").when(F.col("quality") >= 0.9, "B").otherwise("C"),
        )
    )
    by_family = (
        joined.groupBy("family")
        .agg(
            F.sum("good_qty").alias("good_qty"),
            F.sum("scrap_qty").alias("scrap_qty"),
            F.sum("scrap_cost").alias("scrap_cost"),
            F.countDistinct("wo_id").alias("n_orders"),
        )
        .filter((F.col("good_qty") + F.col("scrap_qty")) > 0)
    )
    progress = (
        orders.join(counts.groupBy("wo_id").agg(F.sum("good_qty").alias("done")), "wo_id", "left")
        .withColumn("done", F.coalesce("done", F.lit(0)))
        .withColumn("remaining", F.greatest(F.col("planned_qty") - F.col("done"), F.lit(0)))
        .select("wo_id", "product_id", "planned_qty", "done", "remaining")
    )
    return {"oee": oee, "family_scrap": by_family, "order_progress": progress}
