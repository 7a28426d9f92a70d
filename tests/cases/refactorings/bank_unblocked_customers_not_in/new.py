# title: left_anti join against the block list rewritten as NOT IN, which gives no customers at all when the nullable list contains a null
# expect: inequivalent
# kind: not in nulls
def build(spark):
    spark.sql("""
        SELECT * FROM customers
        WHERE customer_id NOT IN (SELECT customer_id FROM blocked_customers)
    """).createOrReplaceTempView("eligible")
    return spark.sql("""
        SELECT customer_id, segment, open_accounts, currencies,
               CASE WHEN open_accounts = 0 THEN 'reactivation'
                    WHEN max_limit >= 1000 THEN 'upgrade'
                    ELSE 'none' END AS offer
        FROM (
            SELECT e.customer_id, e.segment,
                   count(a.account_id) AS open_accounts,
                   max(a.credit_limit) AS max_limit,
                   count(DISTINCT a.currency) AS currencies
            FROM eligible e
            LEFT JOIN accounts a ON a.customer_id = e.customer_id AND a.status = 'open'
            GROUP BY e.customer_id, e.segment
        )
    """)
