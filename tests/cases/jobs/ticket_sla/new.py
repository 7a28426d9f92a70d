# title: Cleaning loops become one select and the replacement map a when expression.
# expect: equivalent

from pyspark.sql import Column, functions as F

SCHEMA = (
    "ticket_id INT, queue STRING, priority STRING, subject STRING, "
    "opened_at TIMESTAMP, first_reply_at TIMESTAMP, closed_at TIMESTAMP"
)


def clean(name: str) -> Column:
    return F.lower(F.trim(F.col(name)))


def named_priority(code: Column) -> Column:
    return (
        F.when(code.isNull() | (code == "p2"), "normal")
        .when(code == "p1", "high")
        .when(code == "p3", "low")
        .otherwise(code)
    )


def build(spark):
    tickets = (
        spark.read.schema(SCHEMA)
        .csv("data/tickets.csv", header=True)
        .filter(F.col("ticket_id").isNotNull() & F.col("opened_at").isNotNull())
        .select(
            clean("queue").alias("queue"),
            named_priority(clean("priority")).alias("priority"),
            "closed_at",
            (F.unix_timestamp("first_reply_at") - F.unix_timestamp("opened_at")).alias(
                "reply_seconds"
            ),
        )
    )
    targets = spark.table("sla_targets")

    late = F.col("reply_seconds") / 60 > F.col("reply_minutes")
    unanswered = F.col("reply_seconds").isNull() & F.col("closed_at").isNull()
    return (
        tickets.join(targets, "priority")
        .withColumn("breached", unanswered | late)
        .groupBy("queue", "priority")
        .agg(
            F.count("*").alias("tickets"),
            F.count(F.when(F.col("breached"), 1)).alias("breaches"),
            F.max("reply_seconds").alias("slowest_reply"),
            F.sum("reply_seconds").alias("total_reply"),
        )
    )
