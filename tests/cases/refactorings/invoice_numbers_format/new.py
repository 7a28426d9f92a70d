# title: format_string with %05d replaced by lpad to 5, which cuts invoice numbers of six digits
# expect: inequivalent
# kind: text cleaning
from pyspark.sql import functions as F


def build(spark):
    inv = (
        spark.table("invoices")
        .where("state is null or lower(state) <> 'void'")
        .select(
            "invoice_id",
            "sub_id",
            "amount",
            F.concat(F.lit("INV-"), F.lpad(F.col("invoice_id").cast("string"), 5, "0")).alias(
                "number"
            ),
            F.date_format("issued_on", "yyyyMM").alias("period"),
            F.coalesce(F.lower("state"), F.lit("draft")).alias("state"),
        )
    )
    subs = spark.table("subscriptions").selectExpr("sub_id", "upper(plan) as plan")
    return (
        inv.join(subs, "sub_id", "left")
        .fillna("NONE", subset=["plan"])
        .selectExpr(
            "invoice_id",
            "number",
            "concat_ws('-', period, number) as reference",
            "plan",
            "state",
            "amount",
        )
    )
