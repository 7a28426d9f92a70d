# title: Anti join written as NOT IN over a nullable column: one null reversal_of empties the result
# expect: inequivalent
# kind: not in nulls
def build(spark, period_start="2024-01-01", period_end="2024-12-31"):
    spark.sql(
        f"""
        SELECT account_code, cost_center, posting_date,
               CASE dc_flag WHEN 'D' THEN amount WHEN 'C' THEN amount * -1 ELSE 0 END AS net
        FROM gl_entries
        WHERE posting_date BETWEEN DATE'{period_start}' AND DATE'{period_end}'
          AND reversal_of IS NULL
          AND entry_id NOT IN (SELECT reversal_of FROM gl_entries)
        """
    ).createOrReplaceTempView("live_entries")
    return spark.sql(
        """
        SELECT s.account_code, a.account_name, s.cost_center, s.net_amount, s.last_posting
        FROM (
            SELECT account_code, cost_center, SUM(net) AS net_amount, MAX(posting_date) AS last_posting
            FROM live_entries GROUP BY account_code, cost_center
        ) s
        LEFT JOIN accounts a ON a.account_code = s.account_code
        WHERE COALESCE(a.is_active, TRUE)
        """
    )
