# title: Age bands by a left range join with mapping rows instead of a when chain (whole years, dates end in year 9999)
# expect: equivalent
# kind: mapping rows
from pyspark.sql import functions as F

REFERENCE_DATE = "2023-12-31"
AGE_BANDS = [("0-17", 0, 17), ("18-29", 18, 29), ("30-64", 30, 64), ("65+", 65, 999999)]


def build(spark, ref=REFERENCE_DATE):
    bands = spark.createDataFrame(AGE_BANDS, "age_band string, min_age int, max_age int")
    mun = spark.table("municipalities").selectExpr(
        "municipality_code", "coalesce(region_code, 'R0') AS region_code"
    )
    persons = (
        spark.table("persons")
        .select(
            "municipality_code",
            "household_id",
            "income",
            F.expr(
                "CASE WHEN upper(trim(sex)) IN ('F', 'M') THEN upper(trim(sex)) ELSE 'U' END"
            ).alias("sex"),
            F.expr(f"CAST(floor(months_between(DATE'{ref}', birth_date) / 12) AS INT)").alias(
                "age"
            ),
        )
        .where("age IS NULL OR age >= 0")
    )
    banded = persons.join(
        F.broadcast(bands), F.col("age").between(F.col("min_age"), F.col("max_age")), "left"
    ).fillna({"age_band": "unknown"})
    return (
        banded.join(F.broadcast(mun), "municipality_code", "left")
        .fillna({"region_code": "R0"})
        .groupBy("region_code", "sex", "age_band")
        .agg(
            F.count(F.lit(1)).alias("n_persons"),
            F.sum("income").alias("income_total"),
            F.countDistinct("household_id").alias("n_households"),
        )
    )
