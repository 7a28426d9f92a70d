# title: rewritten with NOT EXISTS on NOT estimated, so a read whose estimated flag is null no longer counts as an actual read
# expect: inequivalent
# kind: anti joins
def build(spark):
    spark.sql("""
        SELECT m.meter_id, m.zone, m.customer_type
        FROM meters m
        WHERE NOT EXISTS (
            SELECT 1 FROM meter_reads r
            WHERE r.meter_id = m.meter_id AND NOT r.estimated)
    """).createOrReplaceTempView("missing_meters")
    zones = spark.sql("""
        SELECT coalesce(zone, '?') AS zone, count(*) AS missing_meters,
               cast(size(collect_set(customer_type)) AS bigint) AS types
        FROM missing_meters
        GROUP BY coalesce(zone, '?')
    """)
    return {"missing": spark.table("missing_meters"), "zones": zones}
