# title: Long facility dashboard: shared base factored into helpers, reduce over joins of per-facility metrics instead of chained joins, scalar subquery for the overall total as cross join, diagnosis flags by semi join instead of count.
# expect: equivalent
# kind: long job refactor
from functools import reduce

from pyspark.sql import functions as F

START, END = "2024-01-01", "2024-07-01"
ZERO_COLS = ["encounters", "patients", "stays", "ed_visits", "senior_visits"]


def load_base(spark, start=START, end=END):
    coded = (
        spark.table("diagnoses")
        .where("icd_code IS NOT NULL")
        .select("encounter_id")
        .distinct()
        .withColumn("coded_marker", F.lit(1))
    )
    return (
        spark.table("encounters")
        .where((F.col("admit_date") >= start) & (F.col("admit_date") < end))
        .join(coded, "encounter_id", "left")
        .select(
            "encounter_id",
            "patient_id",
            "facility_id",
            F.coalesce(F.upper("encounter_type"), F.lit("UNKNOWN")).alias("kind"),
            F.expr("CAST(nvl(total_charge, 0) AS DECIMAL(14,2))").alias("charge"),
            F.expr("datediff(discharge_date, admit_date)").alias("los"),
            F.col("coded_marker").isNotNull().alias("coded"),
        )
    )


def facility_metrics(base, pat):
    seniors = pat.where("birth_date < DATE'1960-01-01'").select("patient_id")
    yield base.groupBy("facility_id").agg(
        F.count("*").alias("encounters"),
        F.countDistinct("patient_id").alias("patients"),
        F.sum("charge").alias("charges"),
        F.count_if("coded").alias("coded_encounters"),
    )
    yield (
        base.where("kind IN ('INPATIENT', 'ED')")
        .groupBy("facility_id")
        .agg(
            F.count_if(F.col("kind") == "INPATIENT").alias("stays"),
            F.sum(F.when(F.col("kind") == "INPATIENT", F.col("los"))).alias("bed_days"),
            F.count_if(F.col("kind") == "ED").alias("ed_visits"),
        )
    )
    yield (
        base.join(F.broadcast(seniors), "patient_id", "left_semi")
        .groupBy("facility_id")
        .agg(F.count(F.lit(1)).alias("senior_visits"))
    )


def build(spark):
    base = load_base(spark)
    joined = reduce(
        lambda acc, m: acc.join(m, "facility_id", "left"),
        facility_metrics(base, spark.table("patients")),
        spark.table("facilities").drop("is_teaching"),
    )
    for c in ZERO_COLS:
        joined = joined.withColumn(c, F.coalesce(F.col(c), F.lit(0)))
    summary = joined.fillna("n/a", subset=["region"]).select(
        "facility_id",
        "facility_name",
        "region",
        "encounters",
        "patients",
        "charges",
        "coded_encounters",
        "stays",
        "bed_days",
        "ed_visits",
        "senior_visits",
    )

    overall = base.agg(F.avg("charge").alias("avg_charge"))
    outliers = (
        base.crossJoin(F.broadcast(overall))
        .where(F.col("coded") & (F.col("charge") > F.col("avg_charge")))
        .select("encounter_id", "facility_id", "kind", "charge")
    )
    return {"summary": summary, "outliers": outliers}
