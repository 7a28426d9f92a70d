from pyspark.sql import functions as F

REF = "2024-01-01"
ADULT_AGE = 14


def build(spark, poverty_share="0.6"):
    persons = spark.table("persons").filter(F.col("household_id").isNotNull())
    persons = persons.withColumn("age", F.year(F.lit(REF).cast("date")) - F.year("birth_date"))
    persons = persons.withColumn("is_child", F.coalesce(F.col("age") < ADULT_AGE, F.lit(False)))
    income = persons.groupBy("household_id").agg(
        F.sum("income").alias("hh_income"), F.count("income").alias("n_earners")
    )
    size = persons.groupBy("household_id").agg(F.count("*").alias("hh_size"))
    children = (
        persons.filter("is_child").groupBy("household_id").agg(F.count("*").alias("n_children"))
    )
    head = (
        persons.filter(~F.col("is_child"))
        .groupBy("household_id")
        .agg(F.min("person_id").alias("head_id"))
    )
    head_person = persons.select(
        F.col("person_id").alias("head_id"),
        F.col("municipality_code"),
        F.col("employment_status").alias("head_status"),
    )
    households = (
        size.join(income, "household_id")
        .join(children, "household_id", "left")
        .join(head, "household_id", "left")
        .join(head_person, "head_id", "left")
        .withColumn("n_children", F.coalesce("n_children", F.lit(0)))
        .withColumn("hh_income", F.coalesce("hh_income", F.lit(0)))
        .withColumn("n_adults", F.col("hh_size") - F.col("n_children"))
    )
    weights = households.withColumn(
        "weight_tenths",
        F.when(F.col("n_adults") > 0, (F.col("n_adults") - 1) * 5 + 10).otherwise(F.lit(0))
        + F.col("n_children") * 3,
    )
    equivalised = weights.withColumn(
        "eq_income", F.round(F.col("hh_income") * 10 / F.col("weight_tenths"), 2)
    ).withColumn("head_status", F.coalesce("head_status", F.lit("NONE")))
    mun = spark.table("municipalities").select("municipality_code", "region_code")
    located = (
        equivalised.join(mun, "municipality_code", "left")
        .withColumn("region_code", F.coalesce("region_code", F.lit("R0")))
        .select(
            "household_id",
            "region_code",
            "head_status",
            "hh_size",
            "n_children",
            "n_earners",
            "hh_income",
            "eq_income",
        )
    )
    region_avg = located.groupBy("region_code").agg(F.avg("eq_income").alias("region_avg"))
    flagged = (
        located.join(region_avg, "region_code")
        .withColumn("at_risk", F.col("eq_income") < F.col("region_avg") * F.expr(poverty_share))
        .drop("region_avg")
    )
    report = flagged.groupBy("region_code", "head_status").agg(
        F.count("*").alias("households"),
        F.sum(F.col("at_risk").cast("int")).alias("at_risk_households"),
        F.sum("n_children").alias("children"),
        F.max("eq_income").alias("max_eq_income"),
    )
    return {"households": flagged, "report": report}
