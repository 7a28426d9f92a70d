from pyspark.sql import functions as F


def build(spark):
    prof = spark.table("patient_profiles")
    exploded = (
        prof.select("patient_id", F.explode("allergies").alias("allergy"))
        .filter(F.col("allergy").isNotNull())
        .withColumn("allergy", F.lower("allergy"))
        .dropDuplicates()
    )
    per_patient = exploded.groupBy("patient_id").agg(F.count("*").alias("n_allergies"))
    has_latex = exploded.filter("allergy = 'latex'").select(
        "patient_id", F.lit(True).alias("latex_allergic")
    )
    return (
        spark.table("patients")
        .join(per_patient, "patient_id", "left")
        .join(has_latex, "patient_id", "left")
        .select(
            "patient_id",
            "state",
            F.coalesce("n_allergies", F.lit(0)).cast("int").alias("n_allergies"),
            F.coalesce("latex_allergic", F.lit(False)).alias("latex_allergic"),
        )
    )
