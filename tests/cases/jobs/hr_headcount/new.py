# title: The left joins whose misses were filtered out later become inner joins.
# expect: equivalent

from pyspark.sql import functions as F

SITES = ["Berlin", "Madrid", "Oslo"]


def active_on(day):
    def inner(df):
        return df.filter(
            (F.col("hired_on") <= F.lit(day).cast("date"))
            & (F.col("left_on").isNull() | (F.col("left_on") > F.lit(day).cast("date")))
        )

    return inner


def build(spark, day: str = "2024-03-31"):
    employees = spark.table("employees").transform(active_on(day))
    departments = spark.table("departments").filter(F.col("site").isin(SITES))
    managers = employees.select(
        F.col("employee_id").alias("manager_id"),
        F.col("grade").alias("manager_grade"),
        F.col("salary").alias("manager_salary"),
    )

    staff = (
        employees.join(departments, on="department_id", how="inner")
        .join(managers, on="manager_id", how="inner")
        .filter(F.col("manager_salary") > F.col("salary"))
    )

    return (
        staff.withColumn("is_senior", F.col("grade").isin("S1", "S2"))
        .withColumn("reports_to_senior", F.col("manager_grade").isin("S1", "S2"))
        .groupBy("site", "department_name")
        .agg(
            F.count("*").alias("headcount"),
            F.count(F.when(F.col("is_senior"), 1)).alias("seniors"),
            F.count(F.when(F.col("reports_to_senior"), 1)).alias("under_seniors"),
            F.sum("salary").alias("payroll"),
        )
    )
