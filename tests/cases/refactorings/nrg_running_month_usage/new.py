# title: the named window of the running sum lacks the month in its partition, so the total does not restart each month
# expect: inequivalent
# kind: running sums
def build(spark, cap_per_kw=1):
    spark.sql(f"""
        SELECT r.meter_id, r.read_at, date_format(r.read_at, 'yyyy-MM') AS month, r.kwh,
               lag(r.kwh, 1, 0) OVER in_month AS prev_kwh,
               sum(r.kwh) OVER w AS used,
               sum(r.kwh) OVER w > m.capacity_kw * {cap_per_kw} AS over_cap,
               row_number() OVER in_month AS read_no,
               m.zone
        FROM meter_reads r JOIN meters m ON m.meter_id = r.meter_id
        WINDOW w AS (PARTITION BY r.meter_id ORDER BY r.read_at),
               in_month AS (PARTITION BY r.meter_id, date_format(r.read_at, 'yyyy-MM')
                            ORDER BY r.read_at)
    """).createOrReplaceTempView("running_usage")
    running = spark.table("running_usage").drop("read_no", "zone")
    summary = spark.sql("""
        SELECT zone, month, count_if(over_cap) AS reads_over_cap,
               max(used) AS max_used, max(read_no) AS max_reads
        FROM running_usage
        GROUP BY zone, month
    """)
    return {"running": running, "summary": summary}
