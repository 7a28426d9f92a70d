# title: mode (deterministic: smallest of the most frequent) and exact median against group-by count with row_number; nulls ignored on both sides, all-null employees keep a null mode.
# expect: equivalent
# kind: mode vs group by
from pyspark.sql import Window, functions as F


def usual_rating(reviews):
    freq = reviews.filter("rating IS NOT NULL").groupBy("employee_id", "rating").count()
    by_freq = Window.partitionBy("employee_id").orderBy(
        F.col("count").desc(), F.col("rating").asc()
    )
    return (
        freq.withColumn("rn", F.row_number().over(by_freq))
        .filter("rn = 1")
        .select("employee_id", F.col("rating").alias("usual_rating"))
    )


def build(spark):
    reviews = spark.table("reviews")
    stats = reviews.groupBy("employee_id").agg(
        F.median("rating").alias("median_rating"),
        F.count("rating").alias("n_ratings"),
        F.min("would_rehire").alias("all_rehire"),
    )
    return (
        spark.table("employees")
        .join(stats, "employee_id")
        .join(usual_rating(reviews), "employee_id", "left")
        .select(
            "employee_id", "full_name", "usual_rating", "median_rating", "n_ratings", "all_rehire"
        )
    )
