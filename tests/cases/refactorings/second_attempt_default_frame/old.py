from pyspark.sql import functions as F


def build(spark):
    spark.table("submissions").createOrReplaceTempView("v_sub")
    attempts = spark.sql(
        """
        SELECT submission_id, student_id, course_id, score,
               nth_value(score, 2) OVER (
                   PARTITION BY student_id, course_id ORDER BY submitted_at, submission_id
                   ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
               ) AS second_score
        FROM v_sub
        """
    )
    return (
        attempts.join(spark.table("students"), "student_id", "left")
        .join(spark.table("courses").select("course_id", "course_title"), "course_id", "left")
        .select(
            "submission_id",
            "student_name",
            "course_title",
            "score",
            "second_score",
            F.coalesce(F.col("second_score") > F.col("score"), F.lit(False)).alias("improved"),
        )
    )
