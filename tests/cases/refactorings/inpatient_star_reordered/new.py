# title: Star joins reordered, the fact filter moved before the joins, the payer and provider right joins turned into left joins, primary diagnosis lookup (seq_no = 1 is unique per encounter) as a broadcast join.
# expect: equivalent
# kind: star join reorder
from pyspark.sql import functions as F

ACUTE_TYPES = ("INPATIENT", "ED")


def _acute(df):
    return df.where(F.upper("encounter_type").isin(*ACUTE_TYPES))


def _label_payer(df):
    return df.withColumn(
        "payer_group",
        F.expr(
            "CASE WHEN plan_type IS NULL THEN 'self_pay' WHEN plan_type = 'PUBLIC' THEN 'public' "
            "ELSE 'commercial' END"
        ),
    )


def build(spark):
    fac = spark.table("facilities").where("region IS NOT NULL").drop("is_teaching")
    prov = spark.table("providers").select("provider_id", "provider_name")
    primary_dx = (
        spark.table("diagnoses")
        .where("seq_no = 1")
        .selectExpr("encounter_id AS dx_encounter_id", "icd_code AS primary_dx")
    )

    acute = _acute(spark.table("encounters"))
    wide = (
        acute.join(F.broadcast(fac), "facility_id")
        .join(
            F.broadcast(primary_dx),
            F.col("encounter_id") == F.col("dx_encounter_id"),
            "left",
        )
        .drop("dx_encounter_id")
        .join(prov, on=["provider_id"], how="left_outer")
        .join(spark.table("payers"), on=["payer_id"], how="left_outer")
        .join(spark.table("patients"), on=["patient_id"], how="left_outer")
    )
    wide = (
        _label_payer(wide)
        .withColumn("is_cardiac", F.expr("primary_dx IS NOT NULL AND left(primary_dx, 1) = 'I'"))
        .withColumn("los_days", F.expr("datediff(discharge_date, admit_date)"))
    )

    detail = wide.selectExpr(
        "encounter_id",
        "concat_ws(' ', first_name, last_name) AS patient_name",
        "provider_name",
        "facility_name",
        "payer_group",
        "primary_dx",
        "is_cardiac",
        "los_days",
        "total_charge",
    )
    by_region = wide.groupBy("region", "payer_group").agg(
        F.count("*").alias("encounters"),
        F.sum("total_charge").alias("charges"),
        F.max("los_days").alias("longest_stay"),
        F.count_if("is_cardiac").alias("cardiac_encounters"),
    )
    return {"detail": detail, "by_region": by_region}
