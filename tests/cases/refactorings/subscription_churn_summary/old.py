def build(spark, year=2024):
    spark.sql(f"""
        CREATE OR REPLACE TEMP VIEW ended AS
        SELECT sub_id, account_id, plan, ended_on, mrr FROM subscriptions WHERE year(ended_on) = {year}
    """)
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW open_inv AS
        SELECT sub_id, count(paid_at) AS n_paid, sum(amount) AS billed FROM invoices GROUP BY sub_id
    """)
    return spark.sql("""
        SELECT date_format(e.ended_on, 'yyyy-MM') AS month, coalesce(a.country, 'n/a') AS country,
               count(*) AS churned, sum(e.mrr) AS lost_mrr, sum(coalesce(o.n_paid, 0)) AS paid_invoices
        FROM ended e
        LEFT JOIN open_inv o ON o.sub_id = e.sub_id
        LEFT JOIN accounts a ON a.account_id = e.account_id
        GROUP BY date_format(e.ended_on, 'yyyy-MM'), coalesce(a.country, 'n/a')
    """)
