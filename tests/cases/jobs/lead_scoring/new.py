# title: The null test beside the comparison is dropped, so leads without a status disappear.
# expect: inequivalent

from pyspark.sql import functions as F
from pyspark.sql.functions import col, when

WEIGHTS = {"webinar": 5, "email": 1, "call": 3}


def touch_score(touches):
    weight = F.lit(0)
    for channel, value in WEIGHTS.items():
        weight = when(col("channel") == channel, value).otherwise(weight)
    return (
        touches.withColumn("weight", weight)
        .groupBy("lead_id")
        .agg(F.sum("weight").alias("touch_score"), F.max("touched_at").alias("last_touch"))
    )


def build(spark):
    leads = spark.read.parquet("data/leads.parquet")
    touches = spark.read.parquet("data/touches.parquet")

    open_leads = leads.filter((col("status") != "disqualified") & col("company").isNotNull())
    return (
        open_leads.join(touch_score(touches), "lead_id", "left")
        .withColumn(
            "size_score",
            when(col("employees") >= 1000, 10).when(col("employees") >= 50, 5).otherwise(1),
        )
        .withColumn("touch_score", F.coalesce(col("touch_score"), F.lit(0)))
        .withColumn("score", col("size_score") + col("touch_score"))
        .withColumn("created_on", F.to_date("created_at"))
        .select("lead_id", "company", "country", "created_on", "score", "last_touch")
    )
