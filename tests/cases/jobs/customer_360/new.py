# title: The joins are built in a loop; customers without tickets are lost because the last join is inner.
# expect: inequivalent

from pyspark.sql import functions as F


def build(spark):
    customers = spark.table("customers").withColumn("name", F.initcap(F.trim("name")))
    spend = (
        spark.table("purchases")
        .filter(F.col("amount") > 0)
        .groupBy("customer_id")
        .agg(
            F.sum("amount").alias("spend"),
            F.count("*").alias("purchases"),
            F.max("bought_on").alias("last_purchase"),
        )
    )
    service = (
        spark.table("tickets")
        .groupBy("customer_id")
        .agg(F.count("*").alias("tickets"), F.min("satisfaction").alias("worst_score"))
    )

    profile = customers
    for part, how in [(spend, "left"), (service, "inner")]:
        profile = profile.join(part, "customer_id", how)
    profile = (
        profile.na.fill(0, ["spend", "purchases", "tickets"])
        .withColumn(
            "value_band",
            F.when(F.col("spend") >= 1000, "gold")
            .when(F.col("spend") >= 100, "silver")
            .otherwise("bronze"),
        )
        .withColumn("unhappy", F.coalesce(F.col("worst_score") <= 2, F.lit(False)))
    )
    profile.write.mode("overwrite").saveAsTable("crm.customer_360")
