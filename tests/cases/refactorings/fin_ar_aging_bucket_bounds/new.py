# title: Mapping rows are half open [lo, hi), so due today and exactly 30/60/90 days fall into the next bucket
# expect: inequivalent
# kind: bucket bounds
from pyspark.sql import functions as F

AS_OF = "2024-05-31"
# (bucket, lower bound, upper bound) in days overdue
BUCKET_ROWS = [
    ("CURRENT", None, 0),
    ("1-30", 0, 30),
    ("31-60", 30, 60),
    ("61-90", 60, 90),
    ("90+", 90, None),
]
BUCKETS = [row[0] for row in BUCKET_ROWS]


def _paid_until(spark, as_of):
    return (
        spark.table("receipts")
        .where(F.col("received_on") <= as_of)
        .groupBy("invoice_id")
        .agg(F.sum("amount").alias("paid"))
    )


def build(spark, as_of=AS_OF):
    bucket_dim = spark.createDataFrame(BUCKET_ROWS, "bucket string, lo int, hi int")
    open_items = (
        spark.table("invoices")
        .where(F.col("invoice_date") <= as_of)
        .where("status IS NULL OR status <> 'CANCELLED'")
        .join(_paid_until(spark, as_of), "invoice_id", "left")
        .withColumn("due_date", F.expr("coalesce(due_date, date_add(invoice_date, 30))"))
        .withColumn("open_amount", F.expr("gross_amount - coalesce(paid, 0)"))
        .where("open_amount > 0")
        .withColumn("days_overdue", F.datediff(F.lit(as_of), F.col("due_date")))
        .join(
            F.broadcast(bucket_dim),
            F.expr("(lo IS NULL OR days_overdue >= lo) AND (hi IS NULL OR days_overdue < hi)"),
        )
        .select("invoice_id", "customer_id", "due_date", "open_amount", "days_overdue", "bucket")
    )
    debtors = spark.table("debtors").select(
        "customer_id",
        F.regexp_replace(F.trim("debtor_name"), " +", " ").alias("debtor_name"),
        F.coalesce("segment", F.lit("UNKNOWN")).alias("segment"),
        "credit_limit",
    )
    bucket_sums = [
        F.coalesce(F.sum(F.when(F.col("bucket") == b, F.col("open_amount"))), F.lit(0)).alias(b)
        for b in BUCKETS
    ]
    aging = (
        open_items.groupBy("customer_id")
        .agg(
            *bucket_sums,
            F.sum("open_amount").alias("total_open"),
            F.max("days_overdue").alias("max_days_overdue"),
        )
        .join(F.broadcast(debtors), "customer_id", "left")
        .withColumn("over_limit", F.expr("coalesce(total_open > credit_limit, false)"))
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
