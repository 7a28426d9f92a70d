from pyspark.sql import Window, functions as F
from pyspark.sql.types import StringType


def host(url):
    if url is None or "://" not in url:
        return "internal"
    return url.split("://")[1].split("/")[0]


host_udf = F.udf(host, StringType())


def build(spark):
    ev = spark.table("events").filter(
        F.col("session_id").isNotNull() & F.col("event_ts").isNotNull()
    )
    ev = ev.withColumn("etype", F.lower(F.col("event_type")))
    ev = ev.withColumn("ref_host", host_udf("referrer"))
    ev = ev.withColumn("ref_host", F.regexp_replace("ref_host", "^www[.]", ""))
    ev = ev.withColumn("is_product", F.lower("url").contains("/p/"))
    ev = ev.filter(
        ~(
            F.col("etype").isNull()
            | F.col("etype").isin("heartbeat", "ping")
            | F.col("etype").startswith("debug")
        )
    )
    w = Window.partitionBy("session_id").orderBy("event_ts", "event_id")
    ev = ev.withColumn("step", F.row_number().over(w))
    ev = ev.withColumn("prev_ts", F.lag("event_ts").over(w))
    ev = ev.withColumn("gap_s", F.unix_timestamp("event_ts") - F.unix_timestamp("prev_ts"))
    ev = ev.withColumn("gap_s", F.coalesce("gap_s", F.lit(0)))
    ev = ev.withColumn("long_gap", F.when(F.col("gap_s") > 1800, 1).otherwise(0))
    first = ev.filter(F.col("step") == 1).select(
        "session_id",
        F.col("ref_host").alias("entry_host"),
        F.col("campaign_id").alias("entry_campaign"),
    )
    agg = ev.groupBy("session_id").agg(
        F.count("*").alias("events"),
        F.sum(F.when(F.col("etype") == "purchase", 1).otherwise(0)).alias("purchases"),
        F.sum(F.when(F.col("is_product"), 1).otherwise(0)).alias("product_views"),
        F.sum("long_gap").alias("breaks"),
        F.min("event_ts").alias("first_ts"),
        F.max("event_ts").alias("last_ts"),
    )
    s = spark.table("sessions").select(
        "session_id",
        F.lower("device").alias("device"),
        F.coalesce("country", F.lit("??")).alias("country"),
    )
    out = s.join(agg, "session_id", "left").join(first, "session_id", "left")
    out = out.withColumn("events", F.coalesce("events", F.lit(0)))
    out = out.withColumn("purchases", F.coalesce("purchases", F.lit(0)))
    out = out.withColumn("product_views", F.coalesce("product_views", F.lit(0)))
    out = out.withColumn("breaks", F.coalesce("breaks", F.lit(0)))
    out = out.withColumn(
        "outcome",
        F.when(F.col("purchases") > 0, "buyer")
        .when(F.col("product_views") > 0, "browser")
        .when(F.col("events") > 0, "visitor")
        .otherwise("empty"),
    )
    out = out.join(
        spark.table("campaigns").select(
            F.col("campaign_id").alias("entry_campaign"), F.col("channel").alias("entry_channel")
        ),
        "entry_campaign",
        "left",
    )
    detail = out.select(
        "session_id",
        "device",
        "country",
        "events",
        "purchases",
        "product_views",
        "breaks",
        "entry_host",
        "entry_channel",
        "outcome",
        "first_ts",
        "last_ts",
    )
    summary = detail.groupBy("country", "outcome").agg(
        F.count("*").alias("sessions"), F.sum("events").alias("events")
    )
    return {"detail": detail, "summary": summary.filter(F.col("country") != "??")}
