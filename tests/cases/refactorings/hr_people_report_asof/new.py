# title: Same long people report, but the salary subquery looks for the row whose latest start equals the overall latest instead of the latest on or before the as-of date: future raises hide the salary.
# expect: inequivalent
# kind: long job as-of date
from functools import reduce

from pyspark.sql import functions as F

AS_OF = "2024-01-15"
MISSING_TEXT = ["country", "dept_name"]
MISSING_NUM = ["bonus_total", "spot_total", "cycles"]


def current_salary(spark):
    spark.table("salary_history").createOrReplaceTempView("v_sal")
    return spark.sql(
        f"""
        SELECT s.employee_id, s.amount AS history_salary
        FROM v_sal s
        WHERE s.effective_from = (
            SELECT max(x.effective_from) FROM v_sal x
            WHERE x.employee_id = s.employee_id
        ) AND s.effective_from <= DATE'{AS_OF}'
        """
    )


def bonus_features(spark):
    return (
        spark.table("bonuses")
        .where(F.col("paid_on") <= F.lit(AS_OF).cast("date"))
        .withColumn("spot_amount", F.expr("CASE reason WHEN 'spot' THEN bonus_amount END"))
        .groupBy("employee_id")
        .agg(F.sum("bonus_amount").alias("bonus_total"), F.sum("spot_amount").alias("spot_total"))
    )


def rating_features(spark):
    return spark.sql(
        """
        SELECT employee_id, max(rating) - min(rating) AS rating_spread,
               count(DISTINCT cycle) AS cycles, count(rating) > 0 AS is_rated
        FROM reviews GROUP BY employee_id
        """
    )


def admin_features(spark):
    return (
        spark.table("access_grants")
        .groupBy("employee_id")
        .agg(F.bool_or(F.expr("rights_mask & 4 = 4")).alias("is_admin"))
    )


def build(spark):
    org = spark.sql(
        f"""
        SELECT e.employee_id, e.full_name, d.dept_name, h.full_name AS head_name,
               m.full_name AS manager_name, l.country, e.salary
        FROM employees e
        LEFT JOIN employees m ON m.employee_id = e.manager_id
        LEFT JOIN locations l ON l.location_id = e.location_id
        LEFT JOIN (departments d LEFT JOIN employees h ON h.employee_id = d.head_id)
          ON d.dept_id = e.dept_id
        WHERE e.hire_date <= DATE'{AS_OF}' AND coalesce(e.term_date > DATE'{AS_OF}', true)
        """
    )
    features = [current_salary, bonus_features, rating_features, admin_features]
    report = reduce(lambda df, f: df.join(f(spark), "employee_id", "left"), features, org)
    report = report.fillna("??", subset=MISSING_TEXT)
    for c in MISSING_NUM:
        report = report.withColumn(c, F.coalesce(c, F.lit(0)))
    report = (
        report.withColumn("current_salary", F.expr("nvl(history_salary, salary)"))
        .withColumn("is_admin", F.coalesce("is_admin", F.lit(False)))
        .drop("history_salary", "salary")
    )

    people = report.select(
        "employee_id",
        "full_name",
        "dept_name",
        "head_name",
        "manager_name",
        "country",
        "current_salary",
        "bonus_total",
        "spot_total",
        "cycles",
        "rating_spread",
        "is_admin",
    )
    by_country = report.groupBy("country").agg(
        F.count(F.lit(1)).alias("people"),
        F.sum("current_salary").alias("payroll"),
        F.bool_or("is_admin").alias("has_admin"),
        F.count_if("is_rated").alias("rated_people"),
    )
    return {"people": people, "by_country": by_country}
