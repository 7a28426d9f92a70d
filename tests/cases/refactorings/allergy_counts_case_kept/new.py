# title: Lower-casing moved after array_distinct, so Latex/latex variants count twice; patients otherwise the same.
# expect: inequivalent
# kind: explode vs array functions
from pyspark.sql import functions as F


def build(spark):
    prof = spark.table("patient_profiles").select(
        "patient_id",
        F.expr(
            "transform(array_distinct(filter(coalesce(allergies, array()), a -> a IS NOT NULL)),"
            " a -> lower(a))"
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
