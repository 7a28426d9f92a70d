from pyspark.sql import functions as F

LATE_DAYS = 10


def build(spark, min_claims=1):
    events = spark.table("claim_events").filter(F.col("adjuster").isNotNull())
    claims = spark.table("claims").withColumn(
        "late", F.datediff("reported_on", "loss_date") > LATE_DAYS
    )
    touched = events.join(claims, "claim_id")
    workload = (
        touched.groupBy("adjuster")
        .agg(
            F.countDistinct("claim_id").alias("n_claims"),
            F.countDistinct("status").alias("n_statuses"),
            F.countDistinct("cause").alias("n_causes"),
            F.count("*").alias("n_events"),
            F.sum(F.when(F.col("late"), 1).otherwise(0)).alias("late_events"),
            F.sum(F.when(F.col("severity") >= 3, 1).otherwise(0)).alias("severe_events"),
        )
        .filter(F.col("n_claims") >= min_claims)
    )
    payees = (
        spark.table("payments")
        .groupBy("claim_id")
        .agg(F.countDistinct("payee").alias("n_payees"), F.sum("gross").alias("gross"))
        .filter(F.col("n_payees") > 0)
    )
    return {"workload": workload, "payees": payees}
