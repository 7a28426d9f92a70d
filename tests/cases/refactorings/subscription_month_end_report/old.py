def build(spark, report_month="2024-03"):
    spark.sql(f"""
        CREATE OR REPLACE TEMP VIEW params AS
        SELECT to_date('{report_month}-01') AS m_start, last_day(to_date('{report_month}-01')) AS m_end
    """)
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW subs_clean AS
        SELECT sub_id, account_id,
               CASE WHEN lower(plan) IN ('pro', 'enterprise') THEN 'paid'
                    WHEN lower(plan) = 'basic' THEN 'entry'
                    ELSE 'other' END AS tier,
               started_on, ended_on, coalesce(mrr, 0) AS mrr, lower(status) AS status
        FROM subscriptions
        WHERE started_on IS NOT NULL AND NOT (ended_on < started_on AND ended_on IS NOT NULL)
    """)
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW subs_state AS
        SELECT s.*,
               s.started_on <= p.m_end AND (s.ended_on IS NULL OR s.ended_on > p.m_end) AS live_at_end,
               s.started_on BETWEEN p.m_start AND p.m_end AS is_new,
               coalesce(s.ended_on BETWEEN p.m_start AND p.m_end, false) AS is_churn
        FROM subs_clean s CROSS JOIN params p
    """)
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW billed AS
        SELECT i.sub_id, sum(i.amount) AS billed, count(i.paid_at) AS paid_invoices
        FROM invoices i CROSS JOIN params p
        WHERE i.issued_on >= p.m_start AND i.issued_on <= p.m_end AND coalesce(lower(i.state), '') <> 'void'
        GROUP BY i.sub_id
    """)
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW sub_full AS
        SELECT st.*, upper(coalesce(a.country, 'xx')) AS country,
               coalesce(b.billed, 0) AS billed, coalesce(b.paid_invoices, 0) AS paid_invoices
        FROM subs_state st
        LEFT JOIN accounts a ON a.account_id = st.account_id
        LEFT JOIN billed b ON b.sub_id = st.sub_id
    """)
    summary = spark.sql("""
        SELECT country, tier,
               sum(CASE WHEN live_at_end THEN 1 ELSE 0 END) AS live,
               sum(CASE WHEN live_at_end THEN mrr ELSE 0 END) AS mrr,
               sum(CASE WHEN is_new THEN 1 ELSE 0 END) AS new_subs,
               sum(CASE WHEN is_churn THEN 1 ELSE 0 END) AS churned,
               sum(billed) AS billed, sum(paid_invoices) AS paid_invoices
        FROM sub_full GROUP BY country, tier
    """)
    unpaid = spark.sql("""
        SELECT sub_id, account_id, mrr, billed FROM sub_full
        WHERE live_at_end AND paid_invoices = 0 AND NOT (tier = 'other' OR status = 'paused')
    """)
    return {"summary": summary, "unpaid": unpaid}
