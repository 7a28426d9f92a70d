from pyspark.sql import Window, functions as F

TOP_N = 2
MIN_TXNS = 1


def customer_volumes(spark):
    return (
        spark.table("transactions")
        .join(spark.table("accounts"), "account_id")
        .join(
            spark.table("customers").select("customer_id", "segment", "branch_code"), "customer_id"
        )
        .groupBy("branch_code", "customer_id", "segment")
        .agg(
            F.sum("amount").alias("volume"),
            F.count("*").alias("n_txns"),
            F.countDistinct("channel").alias("n_channels"),
        )
    )


def build(spark, top_n=TOP_N):
    volumes = customer_volumes(spark)
    branch_totals = (
        volumes.groupBy("branch_code")
        .agg(
            F.sum("volume").cast("decimal(22,2)").alias("branch_volume"),
            F.sum("n_txns").alias("branch_txns"),
            F.count("*").alias("branch_customers"),
        )
        .filter(F.col("branch_txns") > MIN_TXNS)
    )
    w = Window.partitionBy("branch_code").orderBy(F.desc("volume"), F.asc("customer_id"))
    top = (
        volumes.withColumn("place", F.row_number().over(w))
        .filter(F.col("place") <= top_n)
        .join(branch_totals, "branch_code")
        .withColumn(
            "share",
            F.when(
                F.col("branch_volume") != 0,
                (F.col("volume") / F.col("branch_volume")).cast("decimal(9,4)"),
            ),
        )
        .select(
            "branch_code",
            "place",
            "customer_id",
            "segment",
            "volume",
            "n_txns",
            "n_channels",
            "branch_volume",
            "branch_customers",
            "share",
        )
    )
    regions = (
        branch_totals.join(spark.table("branches"), "branch_code", "left")
        .groupBy("region")
        .agg(
            F.sum("branch_volume").cast("decimal(22,2)").alias("volume"),
            F.sum("branch_txns").alias("txns"),
            F.count("branch_code").alias("n_branches"),
        )
    )
    return {"top_customers": top, "regions": regions}
