# title: Long store job: price lookup factored into a helper, double-charge detection by self join against count over a key window, left joins reordered, union of segment rows through a loop and reduce.
# expect: equivalent
# kind: long job shared parts
from functools import reduce

from pyspark.sql import DataFrame, Window, functions as F

ISSUES = {"double": "is_double", "orphan": "handle IS NULL", "mispriced": "gap <> 0"}


def with_list_price(df, spark):
    """Price in force at purchase time; overlapping periods are kept."""
    periods = spark.table("item_prices").select(
        F.col("item_id").alias("price_item_id"), "price_from", "price_to", "list_price"
    )
    cond = F.expr(
        "item_id = price_item_id AND purchased_at >= price_from"
        " AND (price_to IS NULL OR purchased_at < price_to)"
    )
    return df.join(F.broadcast(periods), cond, "left").drop(
        "price_item_id", "price_from", "price_to"
    )


def paid_purchases(spark):
    same_charge = Window.partitionBy("player_id", "item_id", "purchased_at")
    return (
        spark.table("purchases")
        .where("status = 'PAID'")
        .withColumn("charges", F.count("*").over(same_charge))
        .withColumn("is_double", (F.col("charges") > 1) & F.col("item_id").isNotNull())
        .drop("charges")
    )


def build(spark):
    buyers = spark.table("players").select("player_id", "handle")
    catalog = spark.table("items").select("item_id", "category")
    detail = (
        with_list_price(
            paid_purchases(spark)
            .join(buyers, "player_id", "left")
            .join(F.broadcast(catalog), "item_id", "left"),
            spark,
        )
        .withColumn("category", F.coalesce("category", F.lit("OTHER")))
        .withColumn("gap", F.expr("amount - list_price * quantity"))
    )
    issues = reduce(
        DataFrame.union,
        [
            detail.where(cond).select(F.lit(name).alias("issue"), "purchase_id", "amount")
            for name, cond in ISSUES.items()
        ],
    )
    detail.createOrReplaceTempView("v_store_detail")
    by_category = spark.sql(
        """
        SELECT category, count(*) AS purchases, sum(amount) AS revenue,
               sum(amount) FILTER (WHERE NOT is_double) AS clean_revenue,
               any(is_double) AS has_doubles
        FROM v_store_detail
        GROUP BY category
        """
    )
    return {"issues": issues, "by_category": by_category}
