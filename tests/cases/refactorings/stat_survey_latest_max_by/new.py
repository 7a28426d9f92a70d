# title: Latest answer by max_by over (time, id) instead of row_number; null answers of the latest row still win
# expect: equivalent
# kind: dedupe rewrite
from pyspark.sql import functions as F

KEY = ["respondent_id", "question"]


def latest_answers(responses):
    return responses.groupBy(*KEY).agg(
        F.max_by("answer", F.struct("submitted_at", "response_id")).alias("answer"),
        F.max("submitted_at").alias("submitted_at"),
    )


def build(spark, field_start="2024-03-01 00:00:00", field_end="2024-04-01 00:00:00"):
    responses = (
        spark.table("survey_responses")
        .where(
            f"submitted_at >= TIMESTAMP'{field_start}' AND submitted_at < TIMESTAMP'{field_end}'"
        )
        .selectExpr(
            *KEY, "nullif(lower(trim(answer)), '') AS answer", "submitted_at", "response_id"
        )
    )
    people = (
        spark.table("persons")
        .join(F.broadcast(spark.table("municipalities")), "municipality_code", "left")
        .selectExpr("person_id AS respondent_id", "region_code")
    )
    return (
        latest_answers(responses)
        .where("answer <> 'refused'")
        .join(people, "respondent_id")
        .groupBy("question", "region_code", "answer")
        .agg(F.count("*").alias("n_answers"), F.max("submitted_at").alias("last_answer_at"))
    )
