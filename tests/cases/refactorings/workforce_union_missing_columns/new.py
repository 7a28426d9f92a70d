# title: unionByName(allowMissingColumns) of employees and contractors against explicit null columns and reduce(union); headcount by department computed from the union.
# expect: equivalent
# kind: unionByName missing columns
from functools import reduce

from pyspark.sql import DataFrame, functions as F

COLUMNS = ["worker_key", "full_name", "dept_id", "job_level", "worker_type", "agency"]
NULLS = {"job_level": "int", "agency": "string"}


def conform(df: DataFrame, prefix: str, key: str, worker_type: str) -> DataFrame:
    for name, typ in NULLS.items():
        if name not in df.columns:
            df = df.withColumn(name, F.lit(None).cast(typ))
    return (
        df.withColumn("worker_key", F.concat(F.lit(prefix), F.col(key).cast("string")))
        .withColumn("worker_type", F.lit(worker_type))
        .select(COLUMNS)
    )


def build(spark):
    parts = [
        conform(spark.table("contractors"), "C", "contractor_id", "CONTRACTOR"),
        conform(
            spark.table("employees").where("term_date IS NULL"), "E", "employee_id", "EMPLOYEE"
        ),
    ]
    workers = reduce(DataFrame.unionByName, parts)

    per_dept = workers.groupBy("dept_id").agg(
        F.count("*").alias("n"),
        F.sum(F.expr("IF(worker_type = 'CONTRACTOR', 1, 0)")).alias("n_contractors"),
        F.max("job_level").alias("top_level"),
    )
    headcount = (
        spark.table("departments")
        .join(per_dept, "dept_id", "left")
        .select(
            "dept_id",
            "dept_name",
            F.coalesce("n", F.lit(0)).alias("headcount"),
            F.coalesce("n_contractors", F.lit(0)).alias("contractors"),
            "top_level",
        )
    )
    return {"workers": workers, "headcount": headcount}
