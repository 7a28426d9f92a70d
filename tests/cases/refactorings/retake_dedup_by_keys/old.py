from pyspark.sql import Window, functions as F


def build(spark):
    en = spark.table("enrollments").filter(F.col("grade_points").isNotNull())
    best = Window.partitionBy("student_id", "course_id").orderBy(
        F.desc("grade_points"), F.desc("term_id")
    )
    attempts = en.withColumn("rn", F.row_number().over(best)).filter("rn = 1").drop("rn")
    return (
        attempts.join(spark.table("students"), "student_id")
        .join(spark.table("courses"), "course_id", "left")
        .groupBy("student_id", "student_name")
        .agg(
            F.sum("grade_points").alias("points"),
            F.count("*").alias("courses_taken"),
            F.sum(F.coalesce("credits", F.lit(0))).alias("credits"),
        )
    )
