from pyspark.sql import functions as F

SCHEMA = (
    "ticket_id INT, queue STRING, priority STRING, subject STRING, "
    "opened_at TIMESTAMP, first_reply_at TIMESTAMP, closed_at TIMESTAMP"
)
TEXT_COLUMNS = ["queue", "priority", "subject"]


def clean_text(df):
    for name in TEXT_COLUMNS:
        df = df.withColumn(name, F.trim(F.col(name)))
    for name in ["queue", "priority"]:
        df = df.withColumn(name, F.lower(F.col(name)))
    return df


def build(spark):
    tickets = (
        spark.read.schema(SCHEMA)
        .csv("data/tickets.csv", header=True)
        .transform(clean_text)
        .replace({"p1": "high", "p2": "normal", "p3": "low"}, subset=["priority"])
        .fillna("normal", subset=["priority"])
        .dropna(subset=["ticket_id", "opened_at"])
    )
    targets = spark.table("sla_targets")

    measured = (
        tickets.join(targets, "priority")
        .withColumn("opened_s", F.unix_timestamp("opened_at"))
        .withColumn("replied_s", F.unix_timestamp("first_reply_at"))
        .withColumn("reply_seconds", F.col("replied_s") - F.col("opened_s"))
        .withColumn(
            "breached",
            F.when(F.col("reply_seconds").isNull(), F.col("closed_at").isNull()).otherwise(
                F.col("reply_seconds") / 60 > F.col("reply_minutes")
            ),
        )
    )
    return measured.groupBy("queue", "priority").agg(
        F.count("*").alias("tickets"),
        F.count(F.when(F.col("breached"), 1)).alias("breaches"),
        F.max("reply_seconds").alias("slowest_reply"),
        F.sum("reply_seconds").alias("total_reply"),
    )
