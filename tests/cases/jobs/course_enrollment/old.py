from pyspark.sql import functions as F

TERMS = ["2023W", "2024S"]


def build(spark):
    enrollments = spark.table("enrollments")
    courses = spark.table("courses")

    joined = (
        enrollments.join(courses, "course_id", "left")
        .filter(F.col("dropped").isNull() | (F.col("dropped") == F.lit(False)))
        .withColumn("passed", F.col("grade") <= 4)
        .withColumn("faculty", F.coalesce(F.col("faculty"), F.lit("none")))
        .withColumn("earned", F.when(F.col("passed"), F.col("credits")).otherwise(0))
    )

    per_course = (
        joined.groupBy("course_id", "term", "faculty")
        .agg(
            F.count("*").alias("students"),
            F.count(F.when(F.col("passed"), True)).alias("passed"),
            F.min("grade").alias("best_grade"),
        )
        .filter(F.col("term").isin(TERMS))
        .filter(F.col("faculty") != "none")
        .filter(F.col("students") >= 2)
    )
    per_student = (
        joined.groupBy("student_id", "term")
        .agg(F.sum("earned").alias("credits"), F.countDistinct("course_id").alias("courses"))
        .filter(F.col("term").isin(TERMS))
        .withColumn("full_time", F.col("credits") >= 20)
    )
    return {"per_course": per_course, "per_student": per_student}
