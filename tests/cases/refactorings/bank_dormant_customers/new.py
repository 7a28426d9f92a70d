# title: left_anti joins become NOT EXISTS and left join + isNull (on distinct keys or NOT NULL columns), the left join + isNull on orphans becomes a left_anti
# expect: equivalent
# kind: anti joins
from pyspark.sql import functions as F

CUTOFF = "2024-02-01"


def build(spark, cutoff=CUTOFF):
    dormant = spark.sql(f"""
        WITH recent AS (
            SELECT a.customer_id
            FROM transactions t JOIN accounts a ON a.account_id = t.account_id
            WHERE t.booked_at >= timestamp'{cutoff} 00:00:00'
        )
        SELECT c.customer_id, c.full_name, c.segment, nvl(b.region, 'unassigned') AS region
        FROM customers c
        LEFT JOIN branches b ON b.branch_code = c.branch_code
        WHERE NOT EXISTS (SELECT 1 FROM recent r WHERE r.customer_id = c.customer_id)
          AND NOT EXISTS (SELECT 1 FROM blocked_customers k WHERE k.customer_id = c.customer_id)
    """)

    txns = spark.table("transactions")
    accounts = spark.table("accounts")
    used = txns.select(F.col("account_id").alias("used_id")).distinct()
    never_used = (
        accounts.join(used, accounts["account_id"] == used["used_id"], "left")
        .where(F.col("used_id").isNull())
        .select("account_id", "customer_id", "product")
    )
    orphans = (
        txns.join(accounts, "account_id", "leftanti")
        .groupBy("account_id")
        .agg(F.sum("amount").alias("amount"), F.count("txn_id").alias("n"))
    )
    return {"dormant": dormant, "never_used": never_used, "orphans": orphans}
