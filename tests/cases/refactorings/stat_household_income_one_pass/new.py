# title: Four household aggregations merged into one, regional average by window instead of join back
# expect: equivalent
# kind: merge aggregations
from pyspark.sql import Window, functions as F

REF_YEAR = 2024
ADULT_AGE = 14
HOUSEHOLD_COLS = [
    "region_code",
    "household_id",
    "head_status",
    "hh_size",
    "n_children",
    "n_earners",
    "hh_income",
    "eq_income",
]


def _households(persons):
    adult = ~F.col("is_child")
    return persons.groupBy("household_id").agg(
        F.count("*").alias("hh_size"),
        F.coalesce(F.sum("income"), F.lit(0)).alias("hh_income"),
        F.count("income").alias("n_earners"),
        F.count_if("is_child").alias("n_children"),
        F.min(F.when(adult, F.col("person_id"))).alias("head_id"),
    )


def build(spark, poverty_share="0.6"):
    persons = (
        spark.table("persons")
        .where("household_id IS NOT NULL")
        .withColumn(
            "is_child", F.coalesce(F.lit(REF_YEAR) - F.year("birth_date") < ADULT_AGE, F.lit(False))
        )
    )
    heads = (
        spark.table("persons")
        .join(
            F.broadcast(spark.table("municipalities").select("municipality_code", "region_code")),
            "municipality_code",
            "left",
        )
        .selectExpr("person_id AS head_id", "employment_status AS head_status", "region_code")
    )
    located = (
        _households(persons)
        .join(heads, "head_id", "left")
        .fillna({"region_code": "R0", "head_status": "NONE"})
        .withColumn("n_adults", F.expr("hh_size - n_children"))
        .withColumn(
            "adult_tenths", F.expr("CASE WHEN n_adults > 0 THEN (n_adults - 1) * 5 + 10 ELSE 0 END")
        )
        .withColumn("weight_tenths", F.expr("adult_tenths + n_children * 3"))
        .withColumn("eq_income", F.round(F.col("hh_income") * 10 / F.col("weight_tenths"), 2))
        .select(*HOUSEHOLD_COLS)
    )
    region = Window.partitionBy("region_code")
    flagged = (
        located.withColumn("region_avg", F.avg("eq_income").over(region))
        .withColumn("at_risk", F.expr(f"eq_income < region_avg * {poverty_share}"))
        .drop("region_avg")
    )
    report = flagged.groupBy("region_code", "head_status").agg(
        F.count("*").alias("households"),
        F.sum(F.when(F.col("at_risk"), 1).otherwise(0)).alias("at_risk_households"),
        F.sum("n_children").alias("children"),
        F.max("eq_income").alias("max_eq_income"),
    )
    return {"households": flagged, "report": report}
