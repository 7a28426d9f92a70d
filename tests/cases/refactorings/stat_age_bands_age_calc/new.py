# title: Age from days / 365.25 instead of whole months: on a birthday the age can be one year too low
# expect: inequivalent
# kind: age arithmetic
from pyspark.sql import functions as F

REFERENCE_DATE = "2023-12-31"
SEXES = ("F", "M")


def _bands(age):
    return F.expr(
        f"""CASE WHEN {age} < 18 THEN '0-17' WHEN {age} < 30 THEN '18-29'
                 WHEN {age} < 65 THEN '30-64' WHEN {age} >= 65 THEN '65+' ELSE 'unknown' END"""
    )


def build(spark, ref=REFERENCE_DATE):
    mun = spark.table("municipalities").select("municipality_code", "region_code")
    sex = F.upper(F.trim("sex"))
    return (
        spark.table("persons")
        .join(F.broadcast(mun), "municipality_code", "left")
        .withColumn(
            "age", F.expr(f"CAST(floor(datediff(DATE'{ref}', birth_date) / 365.25) AS INT)")
        )
        .where("age IS NULL OR age >= 0")
        .select(
            F.coalesce("region_code", F.lit("R0")).alias("region_code"),
            F.when(sex.isin(*SEXES), sex).otherwise("U").alias("sex"),
            _bands("age").alias("age_band"),
            "income",
            "household_id",
        )
        .groupBy("region_code", "sex", "age_band")
        .agg(
            F.count(F.lit(1)).alias("n_persons"),
            F.sum("income").alias("income_total"),
            F.countDistinct("household_id").alias("n_households"),
        )
    )
