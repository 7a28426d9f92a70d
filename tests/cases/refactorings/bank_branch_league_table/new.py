# title: branch totals as a window aggregate (branch null kept out explicitly, as the equi-join drops it), distinct channels as size(collect_set), regions in one step from joined rows
# expect: equivalent
# kind: top n
from pyspark.sql import Window, functions as F

TOP_N = 2
MIN_TXNS = 1


def build(spark, top_n=TOP_N):
    spark.sql("""
        SELECT c.branch_code, c.customer_id, c.segment, t.amount, t.channel
        FROM transactions t
        JOIN accounts a ON t.account_id = a.account_id
        JOIN customers c ON a.customer_id = c.customer_id
    """).createOrReplaceTempView("customer_txns")
    base = spark.table("customer_txns")

    volumes = base.groupBy("branch_code", "customer_id", "segment").agg(
        F.sum("amount").alias("volume"),
        F.count("*").alias("n_txns"),
        F.size(F.collect_set("channel")).cast("bigint").alias("n_channels"),
    )
    branch = Window.partitionBy("branch_code")
    ranked = (
        volumes.withColumn("branch_volume", F.sum("volume").over(branch).cast("decimal(22,2)"))
        .withColumn("branch_txns", F.sum("n_txns").over(branch))
        .withColumn("branch_customers", F.count("*").over(branch))
        .withColumn(
            "place",
            F.row_number().over(branch.orderBy(F.col("volume").desc(), F.col("customer_id"))),
        )
    )
    top = ranked.where(
        f"branch_code IS NOT NULL AND branch_txns > {MIN_TXNS} AND place <= {top_n}"
    ).selectExpr(
        "branch_code",
        "place",
        "customer_id",
        "segment",
        "volume",
        "n_txns",
        "n_channels",
        "branch_volume",
        "branch_customers",
        "CASE WHEN branch_volume <> 0 THEN cast(volume / branch_volume AS decimal(9,4)) END AS share",
    )
    regions = spark.sql(f"""
        WITH totals AS (
            SELECT branch_code, sum(amount) AS branch_volume, count(*) AS branch_txns
            FROM customer_txns
            GROUP BY branch_code
            HAVING count(*) > {MIN_TXNS}
        )
        SELECT b.region,
               cast(sum(t.branch_volume) AS decimal(22,2)) AS volume,
               sum(t.branch_txns) AS txns,
               count(t.branch_code) AS n_branches
        FROM totals t LEFT JOIN branches b ON b.branch_code = t.branch_code
        GROUP BY b.region
    """)
    return {"top_customers": top, "regions": regions}
