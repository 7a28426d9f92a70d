# title: frame written as SIZE PRECEDING in SQL, so the moving average runs over four rows and not three
# expect: inequivalent
# kind: window frame
WINDOW_SIZE = 3


def build(spark, size=WINDOW_SIZE):
    spark.sql(f"""
        SELECT device_id, metric, ts, value,
               sum(value) OVER w AS w_sum, count(value) OVER w AS w_n
        FROM readings
        WHERE quality = 1 OR quality IS NULL
        WINDOW w AS (PARTITION BY device_id, metric ORDER BY ts
                     ROWS BETWEEN {size} PRECEDING AND CURRENT ROW)
    """).createOrReplaceTempView("windowed")
    return (
        spark.table("windowed")
        .selectExpr(
            "device_id",
            "metric",
            "ts",
            "value",
            "CASE WHEN w_n > 0 THEN cast(w_sum / w_n AS decimal(12,3)) END AS smoothed",
        )
        .selectExpr("*", "value - smoothed AS residual")
    )
