def build(spark):
    return spark.sql(
        """
        SELECT e.encounter_id,
               e.patient_id,
               e.admit_date,
               (SELECT max(c.valid_from)
                FROM coverage c
                WHERE c.patient_id = e.patient_id
                  AND c.valid_from <= e.admit_date
                  AND (c.valid_to IS NULL OR c.valid_to > e.admit_date)) AS coverage_start,
               e.total_charge
        FROM encounters e
        WHERE e.admit_date >= DATE '2024-01-01'
        """
    ).selectExpr(
        "encounter_id",
        "patient_id",
        "admit_date",
        "coverage_start",
        "coverage_start IS NOT NULL AS is_covered",
        "coalesce(total_charge, 0) AS charge",
    )
