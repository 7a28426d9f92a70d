# title: Bonus matched to the salary period in force: range join in SQL against a DataFrame conditional join with drops; salary periods may overlap in both, bonus ratio computed the same.
# expect: equivalent
# kind: scd lookup
from pyspark.sql import functions as F


def in_force(date_col, start, end):
    return (F.col(date_col) >= F.col(start)) & (
        F.col(end).isNull() | (F.col(date_col) < F.col(end))
    )


def build(spark, reasons=("spot", "annual")):
    bonuses = spark.table("bonuses").filter(F.col("reason").isin(*reasons))
    periods = spark.table("salary_history").withColumnRenamed("employee_id", "s_employee_id")
    people = (
        spark.table("employees")
        .join(F.broadcast(spark.table("departments")), "dept_id", "left")
        .select("employee_id", "full_name", "dept_name")
    )
    matched = bonuses.join(
        periods,
        (F.col("employee_id") == F.col("s_employee_id"))
        & in_force("paid_on", "effective_from", "effective_to"),
        "left",
    ).drop("s_employee_id", "effective_from", "effective_to")
    band = (
        F.when(F.col("amount").isNull(), F.lit("NO SALARY"))
        .when(F.expr("bonus_amount > amount * 0.02"), F.lit("HIGH"))
        .otherwise(F.lit("NORMAL"))
    )
    return matched.join(people, "employee_id").select(
        "bonus_id",
        "full_name",
        "dept_name",
        "paid_on",
        "bonus_amount",
        F.col("amount").alias("base_salary"),
        band.alias("band"),
    )
