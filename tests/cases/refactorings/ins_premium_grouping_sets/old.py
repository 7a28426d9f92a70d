from pyspark.sql import functions as F


def build(spark):
    book = (
        spark.table("policies")
        .join(spark.table("agents"), "agent_id", "left")
        .withColumn("channel", F.when(F.col("agent_name").isNull(), "direct").otherwise("agent"))
    )
    metrics = [
        F.sum("annual_premium").alias("premium"),
        F.count("*").alias("policies"),
        F.countDistinct("holder_id").alias("holders"),
        F.count(F.when(F.col("end_date").isNull(), 1)).alias("open_ended"),
    ]
    detail = book.groupBy("region", "product").agg(*metrics)
    by_region = book.groupBy("region").agg(*metrics)
    by_product = book.groupBy("product").agg(*metrics)

    cols = ["level", "region", "product", "premium", "policies", "holders", "open_ended"]
    report = (
        detail.withColumn("level", F.lit("detail"))
        .select(cols)
        .unionByName(
            by_region.withColumn("level", F.lit("region"))
            .withColumn("product", F.lit(None).cast("string"))
            .select(cols)
        )
        .unionByName(
            by_product.withColumn("level", F.lit("product"))
            .withColumn("region", F.lit(None).cast("string"))
            .select(cols)
        )
    )
    channels = book.groupBy("channel", "product").agg(F.sum("annual_premium").alias("premium"))
    return {"report": report, "channels": channels}
