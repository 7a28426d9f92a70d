# title: Managers of level 4 up whom no report outearns: NOT EXISTS against the reports' max salary joined left, with unknown comparisons treated as not outearned.
# expect: equivalent
# kind: not exists vs max
from pyspark.sql import functions as F


def build(spark):
    emp = spark.table("employees")
    report_max = (
        emp.filter(F.col("manager_id").isNotNull())
        .groupBy(F.col("manager_id").alias("employee_id"))
        .agg(F.max("salary").alias("max_report_salary"))
    )
    return (
        emp.filter("job_level >= 4")
        .join(report_max, "employee_id", "left")
        .filter("NOT coalesce(max_report_salary > salary, false)")
        .join(spark.table("departments"), "dept_id", "left")
        .select("employee_id", "full_name", "salary", "division")
    )
