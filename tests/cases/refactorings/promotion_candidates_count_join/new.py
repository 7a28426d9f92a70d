# title: Correlated count decorrelated by an inner join to grouped counts: candidates without any bonus (count 0) are lost.
# expect: inequivalent
# kind: correlated count bug
from pyspark.sql import functions as F


def build(spark):
    rev = spark.table("reviews")
    bon = spark.table("bonuses")
    good = rev.filter(F.col("rating") >= 4)
    pending = rev.filter(F.col("rating").isNull())
    spot = bon.filter(F.col("reason") == "spot")
    n_bonuses = bon.groupBy("employee_id").agg(F.count("*").alias("n_bonuses"))

    people = spark.table("employees")
    for other, how in [(good, "left_semi"), (spot, "left_anti"), (pending, "left_anti")]:
        people = people.join(other.select("employee_id"), "employee_id", how)

    return (
        people.join(n_bonuses, "employee_id")
        .join(spark.table("locations"), "location_id", "left")
        .select(
            "employee_id", "full_name", "city", F.coalesce("n_bonuses", F.lit(0)).alias("n_bonuses")
        )
    )
