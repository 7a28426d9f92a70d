# title: count distinct as size(collect_set) cast to bigint, conditional sums as count_if / count(when), filters after the aggregate as HAVING
# expect: equivalent
# kind: count distinct
from pyspark.sql import functions as F

LATE_DAYS = 10


def n_distinct(col):
    return F.size(F.collect_set(col)).cast("long")


def build(spark, min_claims=1):
    late = F.col("late_by") > LATE_DAYS
    claims = spark.table("claims").selectExpr(
        "claim_id", "cause", "severity", "datediff(reported_on, loss_date) AS late_by"
    )
    workload = (
        spark.table("claim_events")
        .join(claims, "claim_id")
        .groupBy("adjuster")
        .agg(
            *[
                n_distinct(c).alias(name)
                for c, name in [
                    ("claim_id", "n_claims"),
                    ("status", "n_statuses"),
                    ("cause", "n_causes"),
                ]
            ],
            F.count(F.lit(1)).alias("n_events"),
            F.count_if(late).alias("late_events"),
            F.count(F.when(F.col("severity") >= 3, F.lit("x"))).alias("severe_events"),
        )
        .where(F.col("adjuster").isNotNull() & (F.col("n_claims") >= min_claims))
    )
    payees = spark.sql("""
        SELECT claim_id, count(DISTINCT payee) AS n_payees, sum(gross) AS gross
        FROM payments
        GROUP BY claim_id
        HAVING count(payee) > 0
    """)
    return {"workload": workload, "payees": payees}
