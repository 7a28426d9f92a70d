# title: Nested IN / NOT IN (over not-null columns) and a correlated count in SQL against semi / anti joins and a grouped join; count of no rows is 0 in the subquery, coalesced in the join.
# expect: equivalent
# kind: in and not in decorrelated
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
        people.join(n_bonuses, "employee_id", "left")
        .join(spark.table("locations"), "location_id", "left")
        .select(
            "employee_id", "full_name", "city", F.coalesce("n_bonuses", F.lit(0)).alias("n_bonuses")
        )
    )
