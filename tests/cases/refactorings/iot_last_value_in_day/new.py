# title: last_value over the ordered named window without a frame gives the current row's value, not the last of the day
# expect: inequivalent
# kind: window frame
def build(spark):
    return spark.sql("""
        SELECT r.device_id, d.model, r.metric, r.ts, r.value,
               first_value(r.value) OVER w AS opening,
               last_value(r.value) OVER w AS closing,
               last_value(r.value) OVER w - first_value(r.value) OVER w AS drift,
               count(*) OVER (PARTITION BY r.device_id, r.metric, to_date(r.ts)) AS n_in_day
        FROM readings r LEFT JOIN devices d ON d.device_id = r.device_id
        WHERE r.value IS NOT NULL
        WINDOW w AS (PARTITION BY r.device_id, r.metric, to_date(r.ts) ORDER BY r.ts)
    """)
