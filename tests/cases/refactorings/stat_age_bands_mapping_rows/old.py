from pyspark.sql import functions as F

REFERENCE_DATE = "2023-12-31"


def age_band(age):
    return (
        F.when(age < 18, "0-17")
        .when(age < 30, "18-29")
        .when(age < 65, "30-64")
        .when(age >= 65, "65+")
        .otherwise("unknown")
    )


def build(spark, ref=REFERENCE_DATE):
    persons = (
        spark.table("persons")
        .withColumn("sex", F.upper(F.trim("sex")))
        .withColumn("sex", F.when(F.col("sex").isin("F", "M"), F.col("sex")).otherwise("U"))
        .withColumn(
            "age", F.floor(F.months_between(F.lit(ref).cast("date"), "birth_date") / 12).cast("int")
        )
        .filter(F.col("age").isNull() | (F.col("age") >= 0))
        .withColumn("age_band", age_band(F.col("age")))
    )
    mun = spark.table("municipalities").select("municipality_code", "region_code")
    located = persons.join(mun, "municipality_code", "left").withColumn(
        "region_code", F.coalesce("region_code", F.lit("R0"))
    )
    return located.groupBy("region_code", "sex", "age_band").agg(
        F.count("*").alias("n_persons"),
        F.sum("income").alias("income_total"),
        F.countDistinct("household_id").alias("n_households"),
    )
