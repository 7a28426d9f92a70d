# title: running balance in SQL ordered by booked_at only, so with the default RANGE frame transactions booked at the same instant see each other's amounts
# expect: inequivalent
# kind: window frame
def build(spark, currency="EUR"):
    spark.sql(f"""
        SELECT t.txn_id, t.account_id, t.booked_at, a.credit_limit,
               if(t.txn_type = 'credit', t.amount, -t.amount) AS delta
        FROM transactions t
        JOIN accounts a ON a.account_id = t.account_id
        WHERE a.currency = '{currency}' AND t.txn_type IN ('credit', 'debit')
    """).createOrReplaceTempView("deltas")
    running = spark.sql("""
        SELECT *,
               sum(delta) OVER acc AS balance_after,
               count(*) OVER acc AS ops_so_far
        FROM deltas
        WINDOW acc AS (PARTITION BY account_id ORDER BY booked_at)
    """)
    breaches = running.where("balance_after < -coalesce(credit_limit, cast(0 as decimal(12,2)))")
    return {
        "ledger": running.select("txn_id", "account_id", "delta", "balance_after", "ops_so_far"),
        "breaches": breaches.select("account_id", "txn_id", "balance_after"),
    }
