from pyspark.sql import functions as F


def build(spark):
    inv = spark.table("invoices").withColumn(
        "number", F.format_string("INV-%05d", F.col("invoice_id"))
    )
    inv = inv.withColumn("period", F.date_format("issued_on", "yyyyMM"))
    inv = inv.withColumn("state", F.coalesce(F.lower("state"), F.lit("draft")))
    inv = inv.withColumn("reference", F.concat_ws("-", "period", "number"))
    subs = spark.table("subscriptions").select("sub_id", F.upper("plan").alias("plan"))
    out = inv.join(subs, "sub_id", "left").withColumn("plan", F.coalesce("plan", F.lit("NONE")))
    return out.filter(F.col("state") != "void").select(
        "invoice_id", "number", "reference", "plan", "state", "amount"
    )
