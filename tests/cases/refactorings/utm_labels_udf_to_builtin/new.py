# title: Python UDFs (split, dict.get, join of non-empty parts, chained comparison) replaced by substring_index, a lookup join, concat_ws with nullif
# expect: equivalent
# kind: UDF to built-in
from pyspark.sql import functions as F

MEDIUM = {"google": "search", "bing": "search", "fb": "social", "mail": "owned"}


def build(spark):
    lookup = spark.createDataFrame(sorted(MEDIUM.items()), "utm_source string, medium string")
    leads = (
        spark.table("leads")
        .withColumn("utm_source", F.substring_index("utm", "|", 1))
        .join(F.broadcast(lookup), "utm_source", "left")
        .selectExpr(
            "lead_id",
            "utm_source",
            "coalesce(medium, 'other') as medium",
            """concat(
                concat_ws(':', nullif(utm_source, ''), nullif(owner, '')),
                case when score >= 50 then '!' else '' end
            ) as label""",
            "score is null or owner is null or owner = '' or score < 0 or score > 100 as needs_review",
            "score",
        )
    )
    return {
        "labels": leads.drop("score"),
        "by_medium": leads.groupBy("medium", "needs_review").agg(
            F.count(F.lit(1)).alias("leads"), F.max("score").alias("best")
        ),
    }
