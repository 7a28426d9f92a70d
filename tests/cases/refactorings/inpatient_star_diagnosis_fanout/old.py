from pyspark.sql import functions as F

ACUTE_TYPES = ["INPATIENT", "ED"]


def build(spark):
    enc = spark.table("encounters")
    pat = spark.table("patients")
    prov = spark.table("providers")
    fac = spark.table("facilities")
    pay = spark.table("payers")
    dx = spark.table("diagnoses")

    primary_dx = dx.filter(F.col("seq_no") == 1).select(
        "encounter_id", F.col("icd_code").alias("primary_dx")
    )

    wide = (
        pay.join(enc, "payer_id", "right")
        .join(pat, "patient_id", "left")
        .join(prov, "provider_id", "left")
        .join(fac, "facility_id", "inner")
        .join(primary_dx, "encounter_id", "left")
        .filter(F.upper(F.col("encounter_type")).isin(ACUTE_TYPES))
        .filter(F.col("region").isNotNull())
        .withColumn("los_days", F.datediff("discharge_date", "admit_date"))
        .withColumn("patient_name", F.concat_ws(" ", "first_name", "last_name"))
        .withColumn(
            "payer_group",
            F.when(F.col("plan_type") == "PUBLIC", "public")
            .when(F.col("plan_type").isNull(), "self_pay")
            .otherwise("commercial"),
        )
        .withColumn("is_cardiac", F.coalesce(F.col("primary_dx").startswith("I"), F.lit(False)))
    )

    detail = wide.select(
        "encounter_id",
        "patient_name",
        "provider_name",
        "facility_name",
        "payer_group",
        "primary_dx",
        "is_cardiac",
        "los_days",
        "total_charge",
    )

    by_region = (
        wide.groupBy("region", "payer_group")
        .agg(
            F.count(F.lit(1)).alias("encounters"),
            F.sum("total_charge").alias("charges"),
            F.max("los_days").alias("longest_stay"),
            F.sum(F.when(F.col("is_cardiac"), 1).otherwise(0)).alias("cardiac_encounters"),
        )
        .filter(F.col("encounters") > 0)
    )
    return {"detail": detail, "by_region": by_region}
