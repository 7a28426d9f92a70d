from pyspark.sql import functions as F


def build(spark):
    stats = (
        spark.table("reviews")
        .groupBy("employee_id")
        .agg(
            F.mode("rating", True).alias("usual_rating"),
            F.expr("percentile(rating, 0.5)").alias("median_rating"),
            F.count("rating").alias("n_ratings"),
            F.every("would_rehire").alias("all_rehire"),
        )
    )
    return (
        spark.table("employees")
        .select("employee_id", "full_name")
        .join(stats, "employee_id", "inner")
    )
