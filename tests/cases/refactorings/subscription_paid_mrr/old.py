def build(spark):
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW live_subs AS
        SELECT sub_id, account_id, lower(plan) AS plan, coalesce(mrr, 0) AS mrr
        FROM subscriptions
        WHERE lower(status) IN ('active', 'past_due') AND NOT (plan LIKE 'trial%')
    """)
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW paid AS
        SELECT sub_id, sum(amount) AS paid, count(*) AS n_invoices
        FROM invoices
        WHERE lower(state) = 'paid'
        GROUP BY sub_id
    """)
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW sub_paid AS
        SELECT s.account_id, s.plan, s.mrr, coalesce(p.paid, 0) AS paid, coalesce(p.n_invoices, 0) AS n_invoices
        FROM live_subs s LEFT JOIN paid p ON s.sub_id = p.sub_id
    """)
    return spark.sql("""
        SELECT a.account_id, upper(trim(a.company)) AS company, sp.plan,
               sum(sp.mrr) AS mrr, sum(sp.paid) AS paid, max(sp.n_invoices) AS max_invoices, count(*) AS subs
        FROM sub_paid sp JOIN accounts a ON a.account_id = sp.account_id
        GROUP BY a.account_id, a.company, sp.plan
        HAVING sp.plan <> 'basic' AND sum(sp.mrr) >= 0
    """)
