# title: SQL expression strings are replaced by column functions and a range test by between.
# expect: equivalent

from pyspark.sql import functions as F
from pyspark.sql.functions import col, lit, when


def build(spark, reporting_date: str = "2024-06-30"):
    as_of = lit(reporting_date).cast("date")
    past_due = col("days_past_due")
    loans = (
        spark.table("loans")
        .where(
            (col("opened_on") <= as_of) & (col("closed_on").isNull() | (col("closed_on") > as_of))
        )
        .select(
            "loan_id",
            "customer_id",
            F.coalesce(col("product"), lit("other")).alias("product"),
            F.coalesce(col("principal"), lit(0)).alias("principal"),
            when(past_due.isNull(), "unknown")
            .when(past_due <= 0, "current")
            .when(past_due.between(1, 89), "late")
            .otherwise("default")
            .alias("bucket"),
            (col("principal") * col("rate")).alias("yearly_interest"),
        )
    )
    pledged = (
        spark.table("collateral")
        .where(col("kind").isin("property", "cash"))
        .where(col("value") > 0)
        .groupBy("loan_id")
        .agg(F.sum("value").alias("pledged"))
    )

    secured = loans.join(pledged, "loan_id", "left").withColumn(
        "is_secured", F.coalesce(col("pledged"), lit(0)) >= col("principal")
    )
    report = secured.groupBy("product", "bucket", "is_secured").agg(
        F.count("*").alias("loans"),
        F.countDistinct("customer_id").alias("customers"),
        F.sum("principal").alias("principal"),
        F.sum("yearly_interest").alias("yearly_interest"),
    )
    report.write.mode("overwrite").saveAsTable("risk.loan_portfolio")
