# title: session number as a cumulative count of session starts (count(when) over explicit ROWS frame) in SQL views instead of a cumulative sum of flags; ts is unique per device and metric
# expect: equivalent
# kind: sessionization
GAP_SECONDS = 30 * 60


def build(spark, gap=GAP_SECONDS):
    spark.sql(f"""
        SELECT r.*,
               coalesce(unix_timestamp(ts) - unix_timestamp(lag(ts) OVER w) > {gap}, true) AS starts_session
        FROM readings r
        WINDOW w AS (PARTITION BY device_id, metric ORDER BY ts)
    """).createOrReplaceTempView("flagged_readings")

    spark.sql("""
        SELECT device_id, metric, ts, value,
               count(CASE WHEN starts_session THEN 1 END) OVER (
                   PARTITION BY device_id, metric ORDER BY ts
                   ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS session_no
        FROM flagged_readings
    """).createOrReplaceTempView("session_readings")

    sessions = spark.sql("""
        SELECT s.device_id, s.metric, s.session_no, s.started_at, s.ended_at,
               s.n_readings, s.n_values, s.peak, d.model
        FROM (
            SELECT device_id, metric, session_no,
                   min(ts) AS started_at, max(ts) AS ended_at,
                   count(*) AS n_readings, count(value) AS n_values, max(value) AS peak
            FROM session_readings
            GROUP BY device_id, metric, session_no
        ) s
        LEFT JOIN devices d ON d.device_id = s.device_id
    """)
    sessions.createOrReplaceTempView("sessions")
    per_model = spark.sql("""
        SELECT model, metric, count(*) AS sessions, sum(n_readings) AS readings
        FROM sessions
        GROUP BY model, metric
        HAVING sum(n_readings) > 1
    """)
    return {"sessions": sessions, "per_model": per_model}
