# title: Python UDFs tidied: dict.get with default, comprehension, loop over limits; same results for None and empty text
# expect: equivalent
# kind: UDF refactored
from pyspark.sql import functions as F

SOURCE_POINTS = {None: 0, "web": 5, "Webinar": 20, "referral": 15}
BANDS = [(0, "invalid"), (50, "cold"), (80, "warm")]


def _points(source):
    return SOURCE_POINTS.get(source, 1)


def _utm(utm):
    parts = [p for p in (utm or "").split("|") if p]
    return "/".join(parts) if parts else None


def _band(score, source):
    if score is None:
        return "unscored"
    for limit, name in BANDS:
        if score < limit:
            return name
    return "hot-" + source if source else "hot"


points_udf = F.udf(_points, "int")
utm_udf = F.udf(_utm, "string")
band_udf = F.udf(_band, "string")


def build(spark):
    scored = spark.table("leads").select(
        "lead_id",
        points_udf(F.col("source")).alias("points"),
        utm_udf(F.col("utm")).alias("utm_path"),
        band_udf(F.col("score"), F.col("source")).alias("band"),
        "score",
    )
    scored = scored.select(
        "lead_id",
        "points",
        "utm_path",
        "band",
        (F.coalesce("score", F.lit(0)) + F.col("points")).alias("total"),
    )
    bands = scored.groupBy("band").agg(
        F.count(F.lit(1)).alias("leads"), F.max("total").alias("best")
    )
    return {"scored": scored, "bands": bands}
