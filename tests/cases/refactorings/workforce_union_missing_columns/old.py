from pyspark.sql import functions as F


def build(spark):
    emp = (
        spark.table("employees")
        .filter(F.col("term_date").isNull())
        .select(
            F.concat(F.lit("E"), F.col("employee_id")).alias("worker_key"),
            "full_name",
            "dept_id",
            "job_level",
            F.lit("EMPLOYEE").alias("worker_type"),
        )
    )
    con = spark.table("contractors").select(
        F.concat(F.lit("C"), F.col("contractor_id")).alias("worker_key"),
        "full_name",
        "dept_id",
        "agency",
        F.lit("CONTRACTOR").alias("worker_type"),
    )
    workers = emp.unionByName(con, allowMissingColumns=True)
    headcount = (
        spark.table("departments")
        .join(workers, "dept_id", "left")
        .groupBy("dept_id", "dept_name")
        .agg(
            F.count("worker_key").alias("headcount"),
            F.count(F.when(F.col("worker_type") == "CONTRACTOR", 1)).alias("contractors"),
            F.max("job_level").alias("top_level"),
        )
    )
    return {"workers": workers, "headcount": headcount}
