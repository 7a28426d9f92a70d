# title: Latest result per patient and test: correlated scalar MAX(resulted_at) keeps ties, so does rank() = 1; null timestamps and null patients drop out in both.
# expect: equivalent
# kind: correlated scalar vs window
from pyspark.sql import Window, functions as F


def build(spark):
    per_test = Window.partitionBy("patient_id", "test_code").orderBy(F.desc("resulted_at"))
    latest = (
        spark.table("lab_results")
        .withColumn("test_code", F.upper(F.trim(F.col("test_code"))))
        .filter("patient_id IS NOT NULL AND test_code IS NOT NULL AND resulted_at IS NOT NULL")
        .withColumn("rk", F.rank().over(per_test))
        .filter(F.col("rk") == 1)
    )
    names = spark.table("patients").select("patient_id", "last_name")
    return latest.join(F.broadcast(names), on="patient_id", how="left").select(
        "patient_id",
        "last_name",
        "test_code",
        "result_id",
        "result_value",
        "flag",
        "resulted_at",
        F.coalesce(F.col("flag") == "H", F.lit(False)).alias("needs_follow_up"),
    )
