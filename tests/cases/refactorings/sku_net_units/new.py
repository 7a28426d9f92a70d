# title: coalesce after left joins replaced with na.fill on named subsets; null group keys filtered before the join where they cannot match
# expect: equivalent
# kind: coalesce vs fillna
from pyspark.sql import functions as F

COUNTS = ["sold", "returned", "n_returns"]


def build(spark):
    p = spark.table("products").select("sku", F.trim(F.col("brand")).alias("brand"), "category")
    sold = (
        spark.table("order_items")
        .where("sku is not null")
        .groupBy("sku")
        .agg(F.expr("sum(qty) as sold"), F.expr("sum(qty * unit_price) as revenue"))
    )
    back = spark.sql(
        "SELECT sku, sum(qty) AS returned, count(*) AS n_returns FROM returns WHERE sku IS NOT NULL GROUP BY sku"
    )
    return (
        p.join(sold, ["sku"], "left_outer")
        .join(back, ["sku"], "left_outer")
        .na.fill(0, subset=COUNTS)
        .na.fill("no brand", subset=["brand"])
        .selectExpr(
            "sku",
            "brand",
            "category",
            *COUNTS,
            "sold - returned as net_units",
            "if(returned * 2 > sold, 'high', 'ok') as flag",
            "revenue",
        )
    )
