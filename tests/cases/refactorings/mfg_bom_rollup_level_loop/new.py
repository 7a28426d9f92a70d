# title: Copy-pasted BOM levels replaced by a helper in a loop, unused scrap factor and distinct dropped
# expect: equivalent
# kind: loop instead of copies
from functools import reduce

from pyspark.sql import functions as F

MAX_LEVEL = 3


def next_level(current, bom, level):
    below = bom.selectExpr("parent_id", "component_id AS sub_id", "qty AS sub_qty")
    return current.join(below, F.col("component_id") == F.col("parent_id")).select(
        "product_id",
        F.col("sub_id").alias("component_id"),
        (F.col("qty") * F.col("sub_qty")).cast("decimal(18,6)").alias("qty"),
        F.lit(level).alias("level"),
    )


def explode_bom(bom):
    levels = [
        bom.selectExpr(
            "parent_id AS product_id",
            "component_id",
            "CAST(qty AS DECIMAL(18,6)) AS qty",
            "1 AS level",
        )
    ]
    for level in range(2, MAX_LEVEL + 1):
        levels.append(next_level(levels[-1], bom, level))
    return levels


def build(spark):
    bom = spark.table("bom").select("parent_id", "component_id", "qty")
    levels = explode_bom(bom)
    parents = bom.selectExpr("parent_id AS component_id")
    raw = reduce(lambda a, b: a.unionByName(b), levels).join(parents, "component_id", "left_anti")
    need = raw.groupBy("product_id", "component_id").agg(
        F.sum("qty").alias("qty_per_unit"), F.max("level").alias("deepest_level")
    )
    costs = spark.table("products").selectExpr(
        "product_id AS component_id", "coalesce(std_cost, 0) AS std_cost"
    )
    rollup = (
        need.join(F.broadcast(costs), "component_id", "left")
        .fillna(0, subset=["std_cost"])
        .groupBy("product_id")
        .agg(
            F.sum(F.col("qty_per_unit") * F.col("std_cost")).alias("material_cost"),
            F.count(F.lit(1)).alias("n_components"),
        )
    )
    spark.table("work_orders").where("status IS NULL OR status = 'OPEN'").createOrReplaceTempView(
        "open_orders"
    )
    demand = spark.sql(
        "SELECT product_id, SUM(planned_qty) AS planned_qty FROM open_orders GROUP BY product_id"
    )
    requirements = (
        need.join(demand, "product_id")
        .groupBy("component_id")
        .agg(
            F.sum(F.expr("qty_per_unit * planned_qty")).alias("required_qty"),
            F.count("product_id").alias("n_products"),
        )
    )
    return {"component_need": need, "cost_rollup": rollup, "requirements": requirements}
