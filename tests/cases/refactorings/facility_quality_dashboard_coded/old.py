from pyspark.sql import functions as F


def build(spark):
    enc = spark.table("encounters")
    fac = spark.table("facilities")
    dx = spark.table("diagnoses")
    pat = spark.table("patients")

    base = (
        enc.filter(F.col("admit_date") >= "2024-01-01")
        .filter(F.col("admit_date") < "2024-07-01")
        .withColumn("kind", F.upper(F.coalesce("encounter_type", F.lit("unknown"))))
        .withColumn("charge", F.coalesce("total_charge", F.lit(0)).cast("decimal(14,2)"))
        .withColumn("los", F.datediff("discharge_date", "admit_date"))
    )

    dx_counts = dx.groupBy("encounter_id").agg(F.count("icd_code").alias("n_dx"))
    base_dx = (
        base.join(dx_counts, "encounter_id", "left")
        .withColumn("n_dx", F.coalesce("n_dx", F.lit(0)))
        .withColumn("coded", F.col("n_dx") > 0)
    )

    volume = base_dx.groupBy("facility_id").agg(
        F.count("*").alias("encounters"),
        F.countDistinct("patient_id").alias("patients"),
        F.sum("charge").alias("charges"),
        F.sum(F.col("coded").cast("int")).alias("coded_encounters"),
    )
    inpatient = (
        base_dx.filter(F.col("kind") == "INPATIENT")
        .groupBy("facility_id")
        .agg(F.count("*").alias("stays"), F.sum("los").alias("bed_days"))
    )
    ed = (
        base_dx.filter(F.col("kind") == "ED")
        .groupBy("facility_id")
        .agg(F.count("*").alias("ed_visits"))
    )
    seniors = (
        base_dx.join(pat, "patient_id")
        .filter(F.col("birth_date") < "1960-01-01")
        .groupBy("facility_id")
        .agg(F.count("*").alias("senior_visits"))
    )

    summary = (
        fac.join(volume, "facility_id", "left")
        .join(inpatient, "facility_id", "left")
        .join(ed, "facility_id", "left")
        .join(seniors, "facility_id", "left")
        .na.fill(0, ["encounters", "patients", "stays", "ed_visits", "senior_visits"])
        .select(
            "facility_id",
            "facility_name",
            F.coalesce("region", F.lit("n/a")).alias("region"),
            "encounters",
            "patients",
            "charges",
            "coded_encounters",
            "stays",
            "bed_days",
            "ed_visits",
            "senior_visits",
        )
    )

    base_dx.createOrReplaceTempView("v_base_dx")
    outliers = spark.sql(
        """
        SELECT b.encounter_id, b.facility_id, b.kind, b.charge
        FROM v_base_dx b
        WHERE b.charge > (SELECT avg(charge) FROM v_base_dx)
          AND b.coded
        """
    )
    return {"summary": summary, "outliers": outliers}
