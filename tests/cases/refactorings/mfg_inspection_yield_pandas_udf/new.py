# title: First pass yield from one aggregation: number of first attempts equals number of serials; a null result never passes the cleaned filter
# expect: equivalent
# kind: one aggregation
import pandas as pd
from pyspark.sql import Window, functions as F
from pyspark.sql.functions import pandas_udf

UNIT = ["wo_id", "serial_no"]


@pandas_udf("string")
def clean_result(s: pd.Series) -> pd.Series:
    return s.str.strip().str.upper()


def build(spark):
    w = Window.partitionBy(*UNIT).orderBy("inspected_at", "inspection_id")
    per_order = (
        spark.table("inspections")
        .where("serial_no IS NOT NULL AND result IS NOT NULL")
        .select(*UNIT, "inspection_id", "inspected_at", clean_result("result").alias("result"))
        .where("result IN ('PASS', 'FAIL')")
        .withColumn("attempt", F.row_number().over(w))
        .groupBy("wo_id")
        .agg(
            F.count(F.when(F.col("attempt") == 1, 1)).alias("units"),
            F.count_if((F.col("attempt") == 1) & (F.col("result") == "PASS")).alias("first_pass"),
            F.max("attempt").alias("max_attempts"),
        )
    )
    family = spark.table("products").select("product_id", "family")
    return (
        per_order.join(spark.table("work_orders").select("wo_id", "product_id", "line_id"), "wo_id")
        .join(F.broadcast(family), "product_id", "left")
        .select(
            "wo_id",
            "family",
            "line_id",
            "units",
            "first_pass",
            "max_attempts",
            F.round(F.col("first_pass") / F.col("units"), 4).alias("fpy"),
        )
    )
