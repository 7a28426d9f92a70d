from pyspark.sql import functions as F


def build(spark):
    masks = (
        spark.table("access_grants")
        .groupBy("employee_id")
        .agg(
            F.expr("bit_or(rights_mask)").alias("any_mask"),
            F.expr("bit_and(rights_mask)").alias("all_mask"),
            F.min("is_active").alias("all_active"),
            F.max("is_active").alias("some_active"),
            F.count("*").alias("grants"),
        )
        .select(
            "employee_id",
            (F.col("any_mask").bitwiseAND(4) != 0).alias("can_admin"),
            (F.col("all_mask").bitwiseAND(1) != 0).alias("reads_everywhere"),
            "all_active",
            "some_active",
            "grants",
        )
    )
    emp = spark.table("employees").select("employee_id", "full_name", "dept_id")
    return (
        emp.join(masks, "employee_id", "left")
        .join(spark.table("departments").select("dept_id", "dept_name"), "dept_id", "left")
        .drop("dept_id")
        .withColumn("grants", F.coalesce("grants", F.lit(0)))
    )
