# title: Pareto classes in SQL with a total window instead of cross join; default frame is fine since reason_code breaks ties
# expect: equivalent
# kind: dataframe to sql
from pyspark.sql import functions as F

CUTOFF_PCT = 80
CLASS_COLS = ["rank", "reason_code", "qty", "n_logs", "cum_qty", "total_qty", "class"]


def build(spark, start="2024-05-01", end="2024-06-01", cutoff=CUTOFF_PCT):
    spark.table("scrap_log").where(
        (F.col("logged_at") >= start) & (F.col("logged_at") < end)
    ).selectExpr(
        "wo_id",
        "coalesce(upper(trim(reason_code)), 'NONE') AS reason_code",
        "coalesce(qty, 0) AS qty",
    ).createOrReplaceTempView("scrap_clean")
    pareto = spark.sql(
        f"""
        WITH by_reason AS (
            SELECT reason_code, SUM(qty) AS qty, COUNT(*) AS n_logs FROM scrap_clean GROUP BY reason_code
        ),
        cum AS (
            SELECT *,
                   ROW_NUMBER() OVER (ORDER BY qty DESC, reason_code) AS rank,
                   SUM(qty) OVER (ORDER BY qty DESC, reason_code) AS cum_qty,
                   SUM(qty) OVER () AS total_qty
            FROM by_reason
        )
        SELECT *, CASE WHEN (cum_qty - qty) * 100 < total_qty * {cutoff} THEN 'A' ELSE 'B' END AS class
        FROM cum
        """
    ).select(*CLASS_COLS)
    pareto.createOrReplaceTempView("pareto_classes")
    line_scrap = spark.sql(
        """
        SELECT w.line_id, s.reason_code, SUM(s.qty) AS qty
        FROM scrap_clean s
        LEFT JOIN work_orders w ON w.wo_id = s.wo_id
        WHERE EXISTS (SELECT 1 FROM pareto_classes p WHERE p.reason_code = s.reason_code AND p.class = 'A')
        GROUP BY w.line_id, s.reason_code
        """
    )
    return {"pareto": pareto, "line_scrap": line_scrap}
