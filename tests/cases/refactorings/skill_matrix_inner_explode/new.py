# title: Skills exploded after the left join with explode instead of explode_outer: employees without skills no longer count as people and their groups disappear.
# expect: inequivalent
# kind: explode vs explode_outer
from pyspark.sql import functions as F


def build(spark):
    active = spark.table("employees").where(F.col("term_date").isNull())
    exploded = (
        active.join(spark.table("employee_skills"), "employee_id", "left")
        .withColumn("skill", F.explode("skills"))
        .withColumn("skill", F.lower("skill"))
        .drop("skills")
    )
    enriched = exploded.join(F.broadcast(spark.table("departments")), "dept_id", "left").join(
        F.broadcast(spark.table("locations")), "location_id", "left"
    )
    is_python = F.col("skill") == "python"
    return enriched.groupBy("division", "country").agg(
        F.size(F.collect_set("skill")).alias("distinct_skills"),
        F.array_sort(F.collect_set("skill")).alias("skill_list"),
        F.countDistinct("employee_id").alias("people"),
        F.countDistinct(F.when(is_python, F.col("employee_id"))).alias("pythonistas"),
    )
