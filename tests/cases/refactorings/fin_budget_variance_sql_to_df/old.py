TOLERANCE = "0.10"


def build(spark, fiscal_year=2024):
    spark.sql(
        f"""
        SELECT account_code,
               MONTH(posting_date) AS fiscal_month,
               SUM(CASE WHEN dc_flag = 'C' THEN -amount ELSE amount END) AS actual,
               COUNT(*) AS n_lines
        FROM gl_entries
        WHERE YEAR(posting_date) = {fiscal_year}
          AND (source IS NULL OR source <> 'CLOSING')
        GROUP BY account_code, MONTH(posting_date)
        """
    ).createOrReplaceTempView("v_actuals")
    spark.sql(
        f"SELECT account_code, fiscal_month, budget FROM budgets WHERE fiscal_year = {fiscal_year}"
    ).createOrReplaceTempView("v_budget")
    spark.sql(
        """
        SELECT COALESCE(a.account_code, b.account_code) AS account_code,
               COALESCE(a.fiscal_month, b.fiscal_month) AS fiscal_month,
               COALESCE(a.actual, 0) AS actual,
               COALESCE(b.budget, 0) AS budget,
               COALESCE(a.n_lines, 0) AS n_lines
        FROM v_actuals a
        FULL OUTER JOIN v_budget b
          ON a.account_code = b.account_code AND a.fiscal_month = b.fiscal_month
        """
    ).createOrReplaceTempView("v_merged")
    detail = spark.sql(
        f"""
        WITH x AS (
            SELECT m.*, actual - budget AS variance,
                   SUM(actual) OVER (PARTITION BY account_code ORDER BY fiscal_month) AS actual_ytd,
                   SUM(budget) OVER (PARTITION BY account_code ORDER BY fiscal_month) AS budget_ytd
            FROM v_merged m
        )
        SELECT x.account_code, a.account_name, COALESCE(a.category, 'UNMAPPED') AS category,
               x.fiscal_month, x.actual, x.budget, x.variance, x.actual_ytd, x.budget_ytd, x.n_lines,
               CASE WHEN x.budget = 0 THEN 'UNBUDGETED'
                    WHEN ABS(x.variance) > ABS(x.budget) * {TOLERANCE} THEN 'ALERT'
                    ELSE 'OK' END AS status
        FROM x LEFT JOIN accounts a ON x.account_code = a.account_code
        """
    )
    detail.createOrReplaceTempView("v_detail")
    summary = spark.sql(
        """
        SELECT category, COUNT(DISTINCT account_code) AS n_accounts,
               SUM(actual) AS actual, SUM(budget) AS budget,
               SUM(IF(status = 'ALERT', 1, 0)) AS n_alerts
        FROM v_detail GROUP BY category
        """
    )
    worst = spark.sql(
        """
        SELECT category, account_code, fiscal_month, variance, rnk FROM (
            SELECT *, ROW_NUMBER() OVER (
                PARTITION BY category ORDER BY ABS(variance) DESC, account_code, fiscal_month) AS rnk
            FROM v_detail WHERE status <> 'OK'
        ) WHERE rnk <= 2
        """
    )
    return {"variance_detail": detail, "category_summary": summary, "worst_variances": worst}
