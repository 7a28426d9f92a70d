# title: Distinct allergies per patient and per state: explode + distinct + count against size(array_distinct(filter(...))) with the missing array treated as empty.
# expect: equivalent
# kind: explode vs array functions
from pyspark.sql import functions as F


def build(spark):
    prof = spark.table("patient_profiles").select(
        "patient_id",
        F.expr(
            "array_distinct(transform(filter(coalesce(allergies, array()), a -> a IS NOT NULL),"
            " a -> lower(a)))"
        ).alias("allergy_set"),
    )
    return (
        spark.table("patients")
        .join(prof, "patient_id", "left")
        .select(
            "patient_id",
            "state",
            F.coalesce(F.size("allergy_set"), F.lit(0)).alias("n_allergies"),
            F.coalesce(F.array_contains("allergy_set", "latex"), F.lit(False)).alias(
                "latex_allergic"
            ),
        )
    )
