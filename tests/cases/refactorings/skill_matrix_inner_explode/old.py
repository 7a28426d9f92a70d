from pyspark.sql import functions as F


def build(spark):
    emp = (
        spark.table("employees")
        .join(spark.table("departments"), "dept_id", "left")
        .join(spark.table("locations"), "location_id", "left")
        .filter("term_date IS NULL")
    )
    skills = (
        spark.table("employee_skills")
        .select("employee_id", F.explode("skills").alias("skill"))
        .withColumn("skill", F.lower("skill"))
    )
    return (
        emp.join(skills, "employee_id", "left")
        .groupBy("division", "country")
        .agg(
            F.size(F.collect_set("skill")).alias("distinct_skills"),
            F.sort_array(F.collect_set("skill")).alias("skill_list"),
            F.countDistinct("employee_id").alias("people"),
            F.countDistinct(F.when(F.col("skill") == "python", F.col("employee_id"))).alias(
                "pythonistas"
            ),
        )
    )
