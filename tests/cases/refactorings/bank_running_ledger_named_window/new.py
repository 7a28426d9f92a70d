# title: window columns rewritten as SQL with a named window; the default RANGE frame is the ROWS frame here because txn_id makes the order total
# expect: equivalent
# kind: running sums
def build(spark):
    spark.sql("""
        SELECT t.*,
               CASE txn_type WHEN 'credit' THEN amount
                             WHEN 'debit' THEN -amount
                             ELSE cast(0 AS decimal(12,2)) END AS signed_amount
        FROM transactions t
    """).createOrReplaceTempView("signed_txns")

    spark.sql("""
        SELECT txn_id, account_id, signed_amount,
               row_number() OVER w AS seq,
               sum(signed_amount) OVER w AS running_balance,
               sum(coalesce(fee, 0)) OVER w AS fees_so_far,
               count(fee) OVER w AS paid_fees_so_far,
               lag(booked_at, 1) OVER w AS prev_booked_at,
               lead(txn_type, 1, 'none') OVER w AS next_type,
               booked_at
        FROM signed_txns
        WINDOW w AS (PARTITION BY account_id ORDER BY booked_at, txn_id)
    """).createOrReplaceTempView("ledger")

    return spark.sql("""
        SELECT l.txn_id, l.account_id, a.currency, a.product, l.seq, l.signed_amount,
               l.running_balance, l.fees_so_far, l.paid_fees_so_far, l.prev_booked_at, l.next_type,
               l.running_balance = min(l.running_balance)
                   OVER (PARTITION BY l.account_id ORDER BY l.seq) AS new_low
        FROM ledger l
        LEFT JOIN accounts a ON a.account_id = l.account_id
    """)
