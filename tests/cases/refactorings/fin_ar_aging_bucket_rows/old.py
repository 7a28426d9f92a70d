from pyspark.sql import functions as F

AS_OF = "2024-05-31"
BUCKETS = ["CURRENT", "1-30", "31-60", "61-90", "90+"]


def bucket_of(days):
    return (
        F.when(days <= 0, "CURRENT")
        .when(days <= 30, "1-30")
        .when(days <= 60, "31-60")
        .when(days <= 90, "61-90")
        .otherwise("90+")
    )


def build(spark, as_of=AS_OF):
    invoices = (
        spark.table("invoices")
        .filter(F.col("invoice_date") <= as_of)
        .filter(F.coalesce(F.col("status"), F.lit("OPEN")) != "CANCELLED")
        .withColumn("due_date", F.coalesce("due_date", F.date_add("invoice_date", 30)))
    )
    paid = (
        spark.table("receipts")
        .filter(F.col("received_on") <= as_of)
        .groupBy("invoice_id")
        .agg(F.sum("amount").alias("paid"))
    )
    open_items = (
        invoices.join(paid, "invoice_id", "left")
        .withColumn("paid", F.coalesce("paid", F.lit(0)))
        .withColumn("open_amount", F.col("gross_amount") - F.col("paid"))
        .filter(F.col("open_amount") > 0)
        .withColumn("days_overdue", F.datediff(F.lit(as_of), F.col("due_date")))
        .withColumn("bucket", bucket_of(F.col("days_overdue")))
        .select("invoice_id", "customer_id", "due_date", "open_amount", "days_overdue", "bucket")
    )
    debtors = (
        spark.table("debtors")
        .withColumn("debtor_name", F.regexp_replace(F.trim("debtor_name"), " +", " "))
        .withColumn("segment", F.coalesce("segment", F.lit("UNKNOWN")))
    )
    by_bucket = open_items.groupBy("customer_id").pivot("bucket", BUCKETS).agg(F.sum("open_amount"))
    for b in BUCKETS:
        by_bucket = by_bucket.withColumn(b, F.coalesce(F.col(f"`{b}`"), F.lit(0)))
    totals = open_items.groupBy("customer_id").agg(
        F.sum("open_amount").alias("total_open"), F.max("days_overdue").alias("max_days_overdue")
    )
    aging = (
        by_bucket.withColumnRenamed("customer_id", "cid")
        .join(totals, F.col("cid").eqNullSafe(F.col("customer_id")))
        .drop("cid")
        .join(debtors, "customer_id", "left")
        .withColumn(
            "over_limit", F.coalesce(F.col("total_open") > F.col("credit_limit"), F.lit(False))
        )
        .select(
            "customer_id",
            "debtor_name",
            "segment",
            *BUCKETS,
            "total_open",
            "max_days_overdue",
            "over_limit",
        )
    )
    return {"open_items": open_items, "aging": aging}
