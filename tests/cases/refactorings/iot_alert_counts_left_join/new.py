# title: moved to SQL with count(*) after the left join, so a device without alerts counts one
# expect: inequivalent
# kind: count star
def build(spark):
    return spark.sql("""
        WITH per_device AS (
            SELECT d.device_id, d.site_id,
                   count(*) AS n_alerts,
                   count_if(a.severity = 'high') AS n_high,
                   max(a.raised_at) AS last_alert
            FROM devices d LEFT JOIN alerts a ON a.device_id = d.device_id
            GROUP BY d.device_id, d.site_id
        )
        SELECT p.device_id, s.site_name, p.n_alerts, p.n_high, p.last_alert, p.n_alerts = 0 AS quiet
        FROM per_device p LEFT JOIN sites s ON s.site_id = p.site_id
    """)
