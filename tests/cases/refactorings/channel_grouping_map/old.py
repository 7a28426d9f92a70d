from pyspark.sql import functions as F


def build(spark):
    e = spark.table("events")
    e = e.withColumn(
        "stage",
        F.when(F.lower("event_type") == "page_view", "browse")
        .when(F.lower("event_type") == "click", "browse")
        .when(F.lower("event_type") == "add_to_cart", "intent")
        .when(F.lower("event_type") == "purchase", "buy")
        .otherwise("other"),
    )
    e = e.withColumn(
        "weight",
        F.when(F.col("stage") == "buy", 10)
        .when(F.col("stage") == "intent", 3)
        .when(F.col("stage") == "browse", 1)
        .otherwise(0),
    )
    s = spark.table("sessions").withColumn(
        "device_group",
        F.when(F.lower("device").isin("mobile", "tablet"), "handheld").when(
            F.lower("device") == "desktop", "desk"
        ),
    )
    joined = e.join(s.select("session_id", "device_group"), "session_id", "left")
    return joined.groupBy(
        "stage", F.coalesce("device_group", F.lit("unknown")).alias("device_group")
    ).agg(F.sum("weight").alias("weight"), F.count("*").alias("events"))
