from pyspark.sql import Window, functions as F

AS_OF = "2024-01-15"


def build(spark):
    emp = spark.table("employees")
    dep = spark.table("departments")
    loc = spark.table("locations")
    sal = spark.table("salary_history")
    bon = spark.table("bonuses")
    rev = spark.table("reviews")
    acc = spark.table("access_grants")

    active = emp.filter(
        (F.col("hire_date") <= AS_OF) & (F.col("term_date").isNull() | (F.col("term_date") > AS_OF))
    )
    mgr = emp.select(
        F.col("employee_id").alias("manager_id"), F.col("full_name").alias("manager_name")
    )
    head = emp.select(F.col("employee_id").alias("head_id"), F.col("full_name").alias("head_name"))

    latest_salary = (
        sal.filter(F.col("effective_from") <= AS_OF)
        .withColumn(
            "rn",
            F.row_number().over(
                Window.partitionBy("employee_id").orderBy(F.col("effective_from").desc())
            ),
        )
        .filter("rn = 1")
        .select("employee_id", F.col("amount").alias("current_salary"))
    )
    bonus_totals = (
        bon.filter(F.col("paid_on") <= AS_OF)
        .groupBy("employee_id")
        .agg(
            F.sum("bonus_amount").alias("bonus_total"),
            F.sum(F.when(F.col("reason") == "spot", F.col("bonus_amount"))).alias("spot_total"),
        )
    )
    ratings = rev.groupBy("employee_id").agg(
        F.max("rating").alias("best_rating"),
        F.min("rating").alias("worst_rating"),
        F.countDistinct("cycle").alias("cycles"),
    )
    admin = acc.filter(F.col("rights_mask").bitwiseAND(4) == 4).select("employee_id").distinct()

    report = (
        active.join(dep, "dept_id", "left")
        .join(head, "head_id", "left")
        .join(loc, "location_id", "left")
        .join(mgr, "manager_id", "left")
        .join(latest_salary, "employee_id", "left")
        .join(bonus_totals, "employee_id", "left")
        .join(ratings, "employee_id", "left")
        .join(admin.withColumn("is_admin", F.lit(True)), "employee_id", "left")
        .withColumn("is_admin", F.coalesce("is_admin", F.lit(False)))
        .withColumn("bonus_total", F.coalesce("bonus_total", F.lit(0)))
        .withColumn("spot_total", F.coalesce("spot_total", F.lit(0)))
        .withColumn("cycles", F.coalesce("cycles", F.lit(0)))
        .withColumn("rating_spread", F.col("best_rating") - F.col("worst_rating"))
        .withColumn("current_salary", F.coalesce("current_salary", "salary"))
        .withColumn("country", F.coalesce("country", F.lit("??")))
        .withColumn("dept_name", F.coalesce("dept_name", F.lit("??")))
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
    by_country = (
        report.groupBy("country")
        .agg(
            F.count("*").alias("people"),
            F.sum("current_salary").alias("payroll"),
            F.max("is_admin").alias("has_admin"),
            F.count("best_rating").alias("rated_people"),
        )
        .filter(F.col("people") >= 1)
    )
    return {"people": people, "by_country": by_country}
