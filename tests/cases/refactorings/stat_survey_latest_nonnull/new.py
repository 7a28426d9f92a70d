# title: Filter early: invalid answers are dropped before taking the latest, so an older answer reappears
# expect: inequivalent
# kind: filter before dedupe
from pyspark.sql import Window, functions as F

VALID = "answer IS NOT NULL AND answer <> 'refused'"


def build(spark, field_start="2024-03-01 00:00:00", field_end="2024-04-01 00:00:00"):
    responses = (
        spark.table("survey_responses")
        .where(F.col("submitted_at") >= field_start)
        .where(F.col("submitted_at") < field_end)
        .withColumn("answer", F.expr("nullif(lower(trim(answer)), '')"))
        .where(VALID)
    )
    newest = Window.partitionBy("respondent_id", "question").orderBy(
        F.desc("submitted_at"), F.desc("response_id")
    )
    latest = responses.withColumn("rn", F.row_number().over(newest)).where("rn = 1")
    region = (
        spark.table("persons")
        .join(spark.table("municipalities"), "municipality_code", "left")
        .selectExpr("person_id AS respondent_id", "region_code")
    )
    return (
        latest.join(region, "respondent_id")
        .groupBy("question", "region_code", "answer")
        .agg(F.count("*").alias("n_answers"), F.max("submitted_at").alias("last_answer_at"))
    )
