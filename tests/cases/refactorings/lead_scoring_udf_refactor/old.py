from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StringType

SOURCE_POINTS = {"web": 5, "Webinar": 20, "referral": 15}


@F.udf(IntegerType())
def source_points(source):
    if source is None:
        return 0
    if source in SOURCE_POINTS:
        return SOURCE_POINTS[source]
    return 1


@F.udf(StringType())
def utm_part(utm):
    if utm is None:
        return None
    parts = []
    for p in utm.split("|"):
        if p != "":
            parts.append(p)
    if len(parts) == 0:
        return None
    return "/".join(parts)


@F.udf(StringType())
def band(score, source):
    if score is None:
        return "unscored"
    if score < 0:
        return "invalid"
    elif score < 50:
        return "cold"
    elif score < 80:
        return "warm"
    else:
        return f"hot-{source}" if source else "hot"


def build(spark):
    leads = spark.table("leads")
    scored = (
        leads.withColumn("points", source_points("source"))
        .withColumn("utm_path", utm_part("utm"))
        .withColumn("band", band("score", "source"))
        .withColumn("total", F.coalesce("score", F.lit(0)) + F.col("points"))
    )
    return {
        "scored": scored.select("lead_id", "points", "utm_path", "band", "total"),
        "bands": scored.groupBy("band").agg(
            F.count("*").alias("leads"), F.max("total").alias("best")
        ),
    }
