def build(spark):
    spark.table("encounters").createOrReplaceTempView("v_enc")
    loyal = spark.sql(
        """
        SELECT DISTINCT e.patient_id, e.provider_id
        FROM v_enc e
        WHERE e.provider_id IS NOT NULL
          AND e.patient_id IS NOT NULL
          AND NOT EXISTS (
              SELECT 1 FROM v_enc o
              WHERE o.patient_id = e.patient_id AND o.provider_id <> e.provider_id
          )
        """
    )
    loyal.createOrReplaceTempView("v_loyal")
    return spark.sql(
        """
        SELECT p.patient_id, p.state, l.provider_id, d.specialty
        FROM v_loyal l
        JOIN patients p ON p.patient_id = l.patient_id
        LEFT JOIN providers d ON d.provider_id = l.provider_id
        """
    )
