from pyspark.sql import Window, functions as F

KEYS = ["student_id", "course_id", "term_id"]


def build(spark):
    st = spark.table("students")
    co = spark.table("courses")
    ins = spark.table("instructors")
    tm = spark.table("terms")
    en = spark.table("enrollments")
    sub = spark.table("submissions")

    graded = (
        en.join(st, "student_id")
        .join(co, "course_id", "left")
        .join(
            ins.select("instructor_id", "instructor_name", F.col("dept").alias("instructor_dept")),
            "instructor_id",
            "left",
        )
        .join(tm, "term_id", "left")
        .filter(F.col("status").isNull() | (F.col("status") != "WITHDRAWN"))
        .withColumn("credits", F.coalesce("credits", F.lit(0)))
        .withColumn("quality_points", F.col("grade_points") * F.col("credits"))
        .withColumn("passed", F.coalesce(F.col("grade_points") >= 2, F.lit(False)))
        .withColumn("in_major", F.coalesce(F.col("program") == F.col("dept"), F.lit(False)))
    )

    sub_term = sub.join(
        tm, (sub.submitted_at >= tm.start_date) & (sub.submitted_at < tm.end_date), "inner"
    )
    best_first = (
        Window.partitionBy(*KEYS)
        .orderBy(F.col("score").desc_nulls_last(), F.col("submission_id"))
        .rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    )
    work = (
        sub_term.withColumn("second_best", F.nth_value("score", 2).over(best_first))
        .groupBy(*KEYS)
        .agg(
            F.count("*").alias("n_submissions"),
            F.max("score").alias("best_score"),
            F.max("second_best").alias("second_score"),
            F.bool_and("is_late").alias("always_late"),
        )
    )
    tags = (
        sub_term.select(*KEYS, F.explode("tags").alias("tag"))
        .filter("tag IS NOT NULL")
        .groupBy(*KEYS)
        .agg(F.countDistinct(F.lower("tag")).alias("n_topics"))
    )

    transcript = (
        graded.join(work, KEYS, "left")
        .join(tags, KEYS, "left")
        .select(
            *KEYS,
            "student_name",
            "course_title",
            "instructor_name",
            "term_name",
            "quality_points",
            "passed",
            "in_major",
            F.coalesce("n_submissions", F.lit(0)).alias("n_submissions"),
            "best_score",
            "second_score",
            "always_late",
            F.coalesce("n_topics", F.lit(0)).alias("n_topics"),
        )
    )

    points = graded.groupBy("student_id").agg(
        F.sum("quality_points").alias("points"),
        F.sum(F.when(F.col("passed"), F.col("credits")).otherwise(0)).alias("earned_credits"),
    )
    standing = (
        st.join(points, "student_id", "left")
        .withColumn("points", F.coalesce("points", F.lit(0)))
        .withColumn("earned_credits", F.coalesce("earned_credits", F.lit(0)))
        .withColumn("cohort_best", F.max("points").over(Window.partitionBy("cohort_year")))
    )
    leaders = standing.filter(F.col("points") == F.col("cohort_best")).select(
        "student_id", "cohort_year", "points", "earned_credits"
    )
    return {"transcript": transcript, "leaders": leaders}
