# title: Statement moved to SQL; running balance lost entry_id and the ROWS frame, so same day lines are summed together
# expect: inequivalent
# kind: window frame
def build(spark, account_category="ASSET"):
    return spark.sql(
        f"""
        WITH lines AS (
            SELECT g.entry_id, g.account_code, a.account_name, g.posting_date,
                   CASE WHEN g.dc_flag = 'C' THEN -g.amount ELSE g.amount END AS movement
            FROM gl_entries g
            JOIN accounts a ON a.account_code = g.account_code AND a.category = '{account_category}'
        ),
        balanced AS (
            SELECT *,
                   ROW_NUMBER() OVER (PARTITION BY account_code ORDER BY posting_date, entry_id) AS line_no,
                   SUM(movement) OVER (PARTITION BY account_code ORDER BY posting_date) AS balance
            FROM lines
        )
        SELECT account_code, account_name, line_no, posting_date,
               balance - movement AS opening, movement, balance, balance < 0 AS in_credit
        FROM balanced
        """
    )
