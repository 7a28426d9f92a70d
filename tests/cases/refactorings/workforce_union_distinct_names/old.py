from pyspark.sql import functions as F


def build(spark):
    emp = spark.table("employees").filter("term_date IS NULL").select("full_name", "dept_id")
    con = spark.table("contractors").select("full_name", "dept_id", "agency")
    both = emp.unionByName(con, allowMissingColumns=True).drop("agency")
    return (
        both.join(spark.table("departments"), "dept_id", "left")
        .withColumn("dept_name", F.coalesce("dept_name", F.lit("(unassigned)")))
        .groupBy("dept_name")
        .agg(F.count("*").alias("workers"), F.min("full_name").alias("first_by_name"))
    )
