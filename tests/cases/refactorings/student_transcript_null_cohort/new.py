# title: Same long transcript job, but the cohort comparison in NOT EXISTS is = instead of <=>, so every student without cohort_year becomes a leader.
# expect: inequivalent
# kind: long job null safe
from pyspark.sql import Window, functions as F

KEYS = ["student_id", "course_id", "term_id"]


def load_graded(spark):
    teaching = (
        spark.table("courses")
        .alias("c")
        .join(
            spark.table("instructors").alias("i"),
            F.expr("c.instructor_id = i.instructor_id"),
            "left",
        )
        .select(
            "c.course_id",
            "c.course_title",
            "c.dept",
            F.expr("nvl(c.credits, 0)").alias("credits"),
            "i.instructor_name",
        )
    )
    kept = spark.table("enrollments").where("NOT (status <=> 'WITHDRAWN')")
    return (
        kept.join(F.broadcast(spark.table("terms")), "term_id", "left")
        .join(teaching, "course_id", "left")
        .join(spark.table("students"), "student_id")
        .withColumn("credits", F.coalesce("credits", F.lit(0)))
        .selectExpr(
            *KEYS,
            "student_name",
            "course_title",
            "instructor_name",
            "term_name",
            "credits",
            "grade_points * credits AS quality_points",
            "grade_points IS NOT NULL AND grade_points >= 2 AS passed",
            "nvl(program = dept, false) AS in_major",
        )
    )


def load_work(spark):
    terms = spark.table("terms").drop("term_name")
    in_term = F.expr("submitted_at >= start_date AND submitted_at < end_date")
    order = Window.partitionBy(*KEYS).orderBy(F.desc_nulls_last("score"), "submission_id")
    all_tags = F.flatten(F.collect_list("tags"))
    return (
        spark.table("submissions")
        .join(F.broadcast(terms), in_term)
        .withColumn("attempt", F.row_number().over(order))
        .groupBy(*KEYS)
        .agg(
            F.count(F.lit(1)).alias("n_submissions"),
            F.max("score").alias("best_score"),
            F.max(F.when(F.col("attempt") == 2, F.col("score"))).alias("second_score"),
            F.min("is_late").alias("always_late"),
            all_tags.alias("all_tags"),
        )
        .withColumn(
            "n_topics",
            F.expr(
                "size(array_distinct(filter(transform(all_tags, t -> lower(t)), t -> t IS NOT NULL)))"
            ).cast("bigint"),
        )
        .drop("all_tags")
    )


def build(spark):
    graded = load_graded(spark)
    transcript = (
        graded.drop("credits")
        .join(load_work(spark), KEYS, "left")
        .withColumn("n_submissions", F.coalesce("n_submissions", F.lit(0)))
        .withColumn("n_topics", F.coalesce("n_topics", F.lit(0)))
    )

    graded.createOrReplaceTempView("v_graded")
    spark.sql(
        """
        SELECT s.student_id, s.cohort_year,
               coalesce(sum(g.quality_points), 0) AS points,
               coalesce(sum(CASE WHEN g.passed THEN g.credits END), 0) AS earned_credits
        FROM students s
        LEFT JOIN v_graded g ON g.student_id = s.student_id
        GROUP BY s.student_id, s.cohort_year
        """
    ).createOrReplaceTempView("v_standing")
    leaders = spark.sql(
        """
        SELECT a.* FROM v_standing a
        WHERE NOT EXISTS (
            SELECT 1 FROM v_standing b
            WHERE a.cohort_year = b.cohort_year AND b.points > a.points
        )
        """
    )
    return {"transcript": transcript, "leaders": leaders}
