from pyspark.sql import functions as F


def build(spark):
    flagged = spark.sql(
        """
        WITH inpatient AS (
            SELECT * FROM encounters WHERE encounter_type = 'INPATIENT'
        )
        SELECT i.encounter_id, i.patient_id, i.facility_id, i.total_charge
        FROM inpatient i
        WHERE EXISTS (
            SELECT 1 FROM inpatient n
            WHERE n.patient_id = i.patient_id
              AND n.encounter_id <> i.encounter_id
              AND n.admit_date > i.discharge_date
              AND datediff(n.admit_date, i.discharge_date) <= 45
        )
        """
    )
    named = flagged.join(spark.table("facilities"), "facility_id", "left").join(
        spark.table("patients"), "patient_id"
    )
    return (
        named.withColumn("facility_label", F.coalesce("facility_name", F.lit("UNKNOWN")))
        .groupBy("facility_label", "region")
        .agg(
            F.countDistinct("patient_id").alias("readmitted_patients"),
            F.count("encounter_id").alias("index_stays"),
            F.sum("total_charge").alias("index_charges"),
        )
    )
