from pyspark.sql import functions as F


def build(spark):
    bom = spark.table("bom").withColumn(
        "scrap_factor", F.coalesce("scrap_factor", F.lit(0).cast("decimal(5,4)"))
    )
    level1 = bom.select(
        F.col("parent_id").alias("product_id"),
        "component_id",
        F.col("qty").cast("decimal(18,6)").alias("qty"),
        F.lit(1).alias("level"),
    )
    level2 = (
        level1.alias("a")
        .join(bom.alias("b"), F.col("a.component_id") == F.col("b.parent_id"))
        .select(
            F.col("a.product_id"),
            F.col("b.component_id"),
            (F.col("a.qty") * F.col("b.qty")).cast("decimal(18,6)").alias("qty"),
            F.lit(2).alias("level"),
        )
    )
    level3 = (
        level2.alias("a")
        .join(bom.alias("b"), F.col("a.component_id") == F.col("b.parent_id"))
        .select(
            F.col("a.product_id"),
            F.col("b.component_id"),
            (F.col("a.qty") * F.col("b.qty")).cast("decimal(18,6)").alias("qty"),
            F.lit(3).alias("level"),
        )
    )
    exploded = level1.union(level2).union(level3)
    parents = bom.select(F.col("parent_id").alias("component_id")).distinct()
    raw = exploded.join(parents, "component_id", "left_anti")
    costs = spark.table("products").select(F.col("product_id").alias("component_id"), "std_cost")
    need = raw.groupBy("product_id", "component_id").agg(
        F.sum("qty").alias("qty_per_unit"), F.max("level").alias("deepest_level")
    )
    rollup = (
        need.join(costs, "component_id", "left")
        .withColumn("cost", F.col("qty_per_unit") * F.coalesce("std_cost", F.lit(0)))
        .groupBy("product_id")
        .agg(F.sum("cost").alias("material_cost"), F.count("*").alias("n_components"))
    )
    demand = (
        spark.table("work_orders")
        .filter(F.col("status").isNull() | (F.col("status") == "OPEN"))
        .groupBy("product_id")
        .agg(F.sum("planned_qty").alias("planned_qty"))
    )
    requirements = (
        need.join(demand, "product_id")
        .withColumn("required_qty", F.col("qty_per_unit") * F.col("planned_qty"))
        .groupBy("component_id")
        .agg(
            F.sum("required_qty").alias("required_qty"),
            F.countDistinct("product_id").alias("n_products"),
        )
    )
    return {"component_need": need, "cost_rollup": rollup, "requirements": requirements}
