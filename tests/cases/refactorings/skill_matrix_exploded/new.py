# title: Skill matrix per department: explode, lower, distinct and collect_set sizes against array functions with flatten; star joins to department and location in other order with right join.
# expect: equivalent
# kind: explode vs flatten
from pyspark.sql import functions as F


def build(spark):
    active = spark.table("employees").where(F.col("term_date").isNull())
    skills = spark.table("employee_skills").select(
        "employee_id", F.transform("skills", lambda s: F.lower(s)).alias("skill_arr")
    )
    enriched = (
        spark.table("locations")
        .join(active, "location_id", "right")
        .join(skills, "employee_id", "left")
        .join(F.broadcast(spark.table("departments")), "dept_id", "left")
    )
    per_group = enriched.groupBy("division", "country").agg(
        F.array_distinct(
            F.filter(F.flatten(F.collect_list("skill_arr")), lambda s: s.isNotNull())
        ).alias("all_skills"),
        F.count("*").alias("people"),
        F.count_if(F.array_contains("skill_arr", "python")).alias("pythonistas"),
    )
    return per_group.select(
        "division",
        "country",
        F.size("all_skills").alias("distinct_skills"),
        F.array_sort("all_skills").alias("skill_list"),
        "people",
        "pythonistas",
    )
