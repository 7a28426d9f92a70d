from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, StringType

MEDIUM = {"google": "search", "bing": "search", "fb": "social", "mail": "owned"}


@F.udf(StringType())
def utm_source(utm):
    if utm is None:
        return None
    return utm.split("|")[0]


@F.udf(StringType())
def medium(source):
    return MEDIUM.get(source, "other")


@F.udf(StringType())
def label(source, owner, score):
    parts = [p for p in [source, owner] if p]
    text = ":".join(parts)
    if score is not None and score >= 50:
        return f"{text}!"
    return text


@F.udf(BooleanType())
def needs_review(score, owner):
    if score is None or not owner:
        return True
    return not (0 <= score <= 100)


def build(spark):
    leads = (
        spark.table("leads")
        .withColumn("utm_source", utm_source("utm"))
        .withColumn("medium", medium("utm_source"))
        .withColumn("label", label("utm_source", "owner", "score"))
        .withColumn("needs_review", needs_review("score", "owner"))
    )
    return {
        "labels": leads.select("lead_id", "utm_source", "medium", "label", "needs_review"),
        "by_medium": leads.groupBy("medium", "needs_review").agg(
            F.count("*").alias("leads"), F.max("score").alias("best")
        ),
    }
