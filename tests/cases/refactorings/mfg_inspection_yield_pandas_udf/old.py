import pandas as pd
from pyspark.sql import Window, functions as F
from pyspark.sql.functions import pandas_udf


@pandas_udf("string")
def clean_result(s: pd.Series) -> pd.Series:
    return s.str.strip().str.upper()


def build(spark):
    ins = (
        spark.table("inspections")
        .withColumn("result", clean_result("result"))
        .filter(F.col("serial_no").isNotNull())
        .filter(F.col("result").isin("PASS", "FAIL"))
    )
    w = Window.partitionBy("wo_id", "serial_no").orderBy("inspected_at", "inspection_id")
    numbered = ins.withColumn("attempt", F.row_number().over(w))
    first_pass = (
        numbered.filter((F.col("attempt") == 1) & (F.col("result") == "PASS"))
        .groupBy("wo_id")
        .agg(F.count("*").alias("first_pass"))
    )
    tested = numbered.groupBy("wo_id").agg(
        F.countDistinct("serial_no").alias("units"), F.max("attempt").alias("max_attempts")
    )
    orders = spark.table("work_orders").join(
        spark.table("products").select("product_id", "family"), "product_id", "left"
    )
    return (
        tested.join(first_pass, "wo_id", "left")
        .withColumn("first_pass", F.coalesce("first_pass", F.lit(0)))
        .join(orders, "wo_id")
        .withColumn("fpy", F.round(F.col("first_pass") / F.col("units"), 4))
        .select("wo_id", "family", "line_id", "units", "first_pass", "max_attempts", "fpy")
    )
