from pyspark.sql import functions as F


def build(spark):
    clean = spark.table("lab_results").withColumn("test_code", F.upper(F.trim("test_code")))
    clean.createOrReplaceTempView("v_labs")
    latest = spark.sql(
        """
        SELECT l.*
        FROM v_labs l
        WHERE l.resulted_at = (
            SELECT max(m.resulted_at) FROM v_labs m
            WHERE m.patient_id = l.patient_id AND m.test_code = l.test_code
        )
        """
    )
    return (
        latest.join(spark.table("patients"), "patient_id", "left")
        .select(
            "patient_id",
            "last_name",
            "test_code",
            "result_id",
            "result_value",
            "flag",
            "resulted_at",
        )
        .withColumn("needs_follow_up", F.expr("flag <=> 'H'"))
    )
