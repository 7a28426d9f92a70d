# title: The latest visit is found with a window instead of an aggregate joined back.
# expect: equivalent

from pyspark.sql import Window, functions as F


def build(spark):
    visits = spark.table("visits")
    patients = spark.table("patients")
    diagnoses = spark.table("diagnoses").withColumnRenamed("code", "diagnosis")

    cleaned = (
        visits.withColumn("diagnosis", F.upper(F.trim(F.col("diagnosis"))))
        .withColumn("clinic", F.coalesce(F.col("clinic"), F.lit("UNKNOWN")))
        .filter(F.col("visit_date") >= "2020-01-01")
    )
    per_patient = Window.partitionBy("patient_id")
    latest = (
        cleaned.withColumn("last_visit_date", F.max("visit_date").over(per_patient))
        .withColumn("visit_count", F.count("*").over(per_patient))
        .filter(F.col("visit_date") == F.col("last_visit_date"))
        .drop("last_visit_date")
    )

    return (
        latest.join(patients, "patient_id", "left")
        .join(diagnoses, "diagnosis", "left")
        .withColumn("age_at_visit", F.floor(F.datediff("visit_date", "birth_date") / 365.25))
        .withColumn("chapter", F.coalesce(F.col("chapter"), F.lit("other")))
        .withColumn("is_repeat", F.col("visit_count") > 1)
        .select(
            "visit_id",
            "patient_id",
            "clinic",
            "visit_date",
            "chapter",
            "sex",
            "age_at_visit",
            "visit_count",
            "is_repeat",
        )
    )
