from pyspark.sql import functions as F


def build(spark, reporting_date: str = "2024-06-30"):
    loans = (
        spark.table("loans")
        .where(f"opened_on <= date '{reporting_date}'")
        .where(f"closed_on is null or closed_on > date '{reporting_date}'")
        .selectExpr(
            "loan_id",
            "customer_id",
            "coalesce(product, 'other') as product",
            "coalesce(principal, 0) as principal",
            "case when days_past_due is null then 'unknown' "
            "when days_past_due <= 0 then 'current' "
            "when days_past_due >= 1 and days_past_due <= 89 then 'late' "
            "else 'default' end as bucket",
            "principal * rate as yearly_interest",
        )
    )
    pledged = (
        spark.table("collateral")
        .where("kind in ('property', 'cash') and value > 0")
        .groupBy("loan_id")
        .agg(F.expr("sum(value) as pledged"), F.expr("count(1) as pledges"))
    )

    secured = (
        loans.join(pledged, "loan_id", "left")
        .withColumn("pledged", F.expr("ifnull(pledged, 0)"))
        .withColumn("is_secured", F.expr("pledged >= principal"))
    )
    report = secured.groupBy("product", "bucket", "is_secured").agg(
        F.expr("count(*) as loans"),
        F.expr("count(distinct customer_id) as customers"),
        F.expr("sum(principal) as principal"),
        F.expr("sum(yearly_interest) as yearly_interest"),
    )
    report.write.mode("overwrite").saveAsTable("risk.loan_portfolio")
