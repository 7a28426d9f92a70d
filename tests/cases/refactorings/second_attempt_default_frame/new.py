# title: nth_value(score, 2) over the full partition replaced by a window without frame: the default frame ends at the current row, so first attempts get null.
# expect: inequivalent
# kind: nth_value default frame
from pyspark.sql import Window, functions as F


def build(spark):
    by_time = Window.partitionBy("student_id", "course_id").orderBy("submitted_at", "submission_id")
    names = spark.table("students").select("student_id", "student_name")
    titles = spark.table("courses").select("course_id", "course_title")
    return (
        spark.table("submissions")
        .withColumn("second_score", F.nth_value("score", 2).over(by_time))
        .withColumn("improved", F.expr("nvl(second_score > score, false)"))
        .join(F.broadcast(titles), "course_id", "left")
        .join(F.broadcast(names), "student_id", "left")
        .select(
            "submission_id", "student_name", "course_title", "score", "second_score", "improved"
        )
    )
