# title: Courses with any SQL-tagged submission: EXISTS over a LATERAL VIEW and IN over literal scores against exists() on the array and bool_or; null arrays and null tags count as no match on both sides.
# expect: equivalent
# kind: explode exists vs array exists
from pyspark.sql import functions as F

WANTED = ["sql", "dna"]
BANNED = "rna"
SCORES = [45, 70, 88, 90]


def build(spark):
    tags = F.transform(F.coalesce("tags", F.array().cast("array<string>")), F.lower)
    relevant = (
        spark.table("submissions")
        .withColumn("lc_tags", tags)
        .where(F.col("score").isin(SCORES))
        .where(F.coalesce(F.exists("lc_tags", lambda t: t.isin(WANTED)), F.lit(False)))
        .where(F.size(F.filter("lc_tags", lambda t: t == BANNED)) == 0)
    )
    staff = spark.table("instructors").select("instructor_id", "instructor_name")
    catalog = staff.join(spark.table("courses"), "instructor_id", "right").select(
        "course_id", "course_title", "instructor_name"
    )
    return relevant.join(F.broadcast(catalog), "course_id").select(
        "submission_id", "student_id", "course_title", "instructor_name", "score"
    )
