# title: Same refactoring, but quality is computed in whole percent with div and loses the fraction
# expect: inequivalent
# kind: integer division
from pyspark.sql import functions as F

CONFIG = {"shift_minutes": 480, "shifts": ("A", "B", "N"), "grades": [("A", 0.99), ("B", 0.9)]}
QTY_COLS = ["good_qty", "scrap_qty", "run_minutes"]


def read_counts(spark, start, end):
    df = spark.table("production_counts").where(F.col("shift_date").between(start, end))
    return (
        df.where(F.col("shift").isin(*CONFIG["shifts"]))
        .fillna(0, subset=QTY_COLS)
        .withColumn("total_qty", F.expr("good_qty + scrap_qty"))
    )


def read_orders(spark):
    return (
        spark.table("work_orders")
        .where("status IS NULL OR status <> 'CANCELLED'")
        .fillna({"line_id": "L0"})
        .select("wo_id", "product_id", "line_id", "planned_qty")
    )


def grade():
    expr = F
    for name, limit in CONFIG["grades"]:
        expr = expr.when(F.col("quality") >= limit, name)
    return expr.otherwise("C")


def build(spark, start="2024-05-01", end="2024-05-31"):
    counts = read_counts(spark, start, end)
    orders = read_orders(spark)
    products = spark.table("products").selectExpr(
        "product_id",
        "family",
        "coalesce(ideal_rate_per_hour, 0) AS rate",
        "coalesce(std_cost, 0) AS std_cost",
    )
    joined = (
        counts.join(orders, "wo_id")
        .join(F.broadcast(products), "product_id", "left")
        .fillna({"family": "OTHER", "rate": 0, "std_cost": 0})
        .withColumn("ideal_qty", F.col("run_minutes") * F.col("rate") / 60)
        .withColumn("scrap_cost", F.col("scrap_qty") * F.col("std_cost"))
    )
    joined.createOrReplaceTempView("joined_counts")
    oee = (
        spark.sql(
            """
            SELECT line_id, shift_date, shift,
                   SUM(good_qty) AS good_qty, SUM(total_qty) AS total_qty,
                   SUM(run_minutes) AS run_minutes, SUM(scrap_cost) AS scrap_cost,
                   MAX(ideal_qty) AS max_ideal_qty
            FROM joined_counts GROUP BY line_id, shift_date, shift
            """
        )
        .withColumn("availability", F.round(F.col("run_minutes") / CONFIG["shift_minutes"], 3))
        .withColumn(
            "quality",
            F.expr(
                "CASE WHEN total_qty > 0 THEN round(CAST(good_qty * 100 div total_qty AS DOUBLE) / 100, 3) END"
            ),
        )
        .withColumn("scrap_free", F.expr("total_qty = good_qty"))
        .withColumn("grade", grade())
    )
    by_family = spark.sql(
        """
        SELECT family, SUM(good_qty) AS good_qty, SUM(scrap_qty) AS scrap_qty,
               SUM(scrap_cost) AS scrap_cost, COUNT(DISTINCT wo_id) AS n_orders
        FROM joined_counts
        GROUP BY family
        HAVING SUM(good_qty) + SUM(scrap_qty) > 0
        """
    )
    done = counts.groupBy("wo_id").agg(F.sum("good_qty").alias("done"))
    progress = (
        orders.join(done, "wo_id", "left")
        .fillna(0, subset=["done"])
        .withColumn(
            "remaining", F.expr("CASE WHEN planned_qty > done THEN planned_qty - done ELSE 0 END")
        )
        .select("wo_id", "product_id", "planned_qty", "done", "remaining")
    )
    return {"oee": oee, "family_scrap": by_family, "order_progress": progress}
