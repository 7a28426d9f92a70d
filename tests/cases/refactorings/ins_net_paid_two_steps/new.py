# title: sum(gross - recovered) becomes sum(gross) - sum(recovered) (both NOT NULL), aggregated per claim first, then per policy and per cause, with HAVING
# expect: equivalent
# kind: sum of differences
from pyspark.sql import functions as F

MIN_NET = 100


def build(spark):
    per_claim = (
        spark.table("payments")
        .groupBy("claim_id")
        .agg(
            F.sum("gross").alias("gross"),
            F.sum("recovered").alias("recovered"),
            F.count("payment_id").alias("n"),
            F.max("paid_on").alias("last_paid"),
        )
    )
    paid_claims = per_claim.join(spark.table("claims").drop("reserve"), "claim_id", "inner")
    paid_claims.createOrReplaceTempView("paid_claims")

    policy_margin = spark.sql("""
        WITH per_policy AS (
            SELECT policy_id,
                   cast(sum(gross) - sum(recovered) AS decimal(23,2)) AS net_paid,
                   sum(n) AS n_payments,
                   max(last_paid) AS last_paid
            FROM paid_claims
            GROUP BY policy_id
        ), joined AS (
            SELECT p.policy_id, p.product, p.annual_premium,
                   coalesce(x.net_paid, cast(0 AS decimal(23,2))) AS net_paid,
                   coalesce(x.n_payments, 0L) AS n_payments,
                   x.last_paid
            FROM policies p LEFT JOIN per_policy x ON x.policy_id = p.policy_id
        )
        SELECT *, annual_premium - net_paid AS margin, annual_premium - net_paid < 0 AS loss_making
        FROM joined
    """)
    causes = spark.sql(f"""
        SELECT coalesce(cause, 'other') AS cause,
               cast(sum(gross) - sum(recovered) AS decimal(23,2)) AS net_paid
        FROM paid_claims
        GROUP BY coalesce(cause, 'other')
        HAVING sum(gross) - sum(recovered) > {MIN_NET}
    """)
    return {"policy_margin": policy_margin, "causes": causes}
