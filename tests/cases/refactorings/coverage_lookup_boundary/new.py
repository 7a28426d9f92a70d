# title: Same decorrelation, but validity end became inclusive (BETWEEN with coalesce), so a period ending on the admission date still counts.
# expect: inequivalent
# kind: scd boundary
from pyspark.sql import Window, functions as F


def build(spark, since="2024-01-01"):
    enc = spark.table("encounters").filter(F.col("admit_date") >= F.to_date(F.lit(since)))
    cov = spark.table("coverage").select(
        F.col("patient_id").alias("cov_patient_id"), "valid_from", "valid_to"
    )
    in_force = (F.col("cov_patient_id") == F.col("patient_id")) & F.col("admit_date").between(
        F.col("valid_from"), F.coalesce("valid_to", F.to_date(F.lit("9999-12-31")))
    )
    newest_first = Window.partitionBy("encounter_id").orderBy(F.col("valid_from").desc())
    return (
        enc.join(cov, in_force, "left")
        .withColumn("rn", F.row_number().over(newest_first))
        .filter("rn = 1")
        .select(
            "encounter_id",
            "patient_id",
            "admit_date",
            F.col("valid_from").alias("coverage_start"),
            F.col("valid_from").isNotNull().alias("is_covered"),
            F.coalesce("total_charge", F.lit(0)).alias("charge"),
        )
    )
