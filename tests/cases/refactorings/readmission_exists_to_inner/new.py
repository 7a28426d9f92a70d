# title: EXISTS replaced by an inner join without deduplication, so an index stay with two later stays counts (and sums) twice.
# expect: inequivalent
# kind: exists to join
from pyspark.sql import functions as F

READMIT_DAYS = 45


def build(spark):
    inpatient = spark.table("encounters").where(F.col("encounter_type") == "INPATIENT")
    index_stay = inpatient.alias("i")
    later = inpatient.alias("n")
    flagged = index_stay.join(
        later,
        (F.col("i.patient_id") == F.col("n.patient_id"))
        & (F.col("n.admit_date") > F.col("i.discharge_date"))
        & (F.col("n.admit_date") <= F.date_add(F.col("i.discharge_date"), READMIT_DAYS))
        & (F.col("i.encounter_id") != F.col("n.encounter_id")),
        "inner",
    ).select("i.*")
    known = spark.table("patients").select("patient_id")
    fac = spark.table("facilities").select("facility_id", "facility_name", "region")
    return (
        flagged.join(known, "patient_id", "left_semi")
        .join(F.broadcast(fac), "facility_id", "left")
        .groupBy(F.expr("nvl(facility_name, 'UNKNOWN')").alias("facility_label"), "region")
        .agg(
            F.countDistinct("patient_id").alias("readmitted_patients"),
            F.count("*").alias("index_stays"),
            F.sum("total_charge").alias("index_charges"),
        )
    )
