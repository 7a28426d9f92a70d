# title: the half-open month became BETWEEN, which also takes reads at midnight of the first of February
# expect: inequivalent
# kind: between bounds
MONTH_START = "2024-01-01"
NEXT_MONTH = "2024-02-01"


def build(spark, start=MONTH_START, end=NEXT_MONTH):
    spark.sql(f"""
        SELECT meter_id, sum(kwh) AS kwh, count(DISTINCT to_date(read_at)) AS days
        FROM meter_reads
        WHERE read_at BETWEEN timestamp'{start} 00:00:00' AND timestamp'{end} 00:00:00'
        GROUP BY meter_id
    """).createOrReplaceTempView("january_usage")
    return spark.sql("""
        SELECT m.customer_type,
               sum(coalesce(u.kwh, 0)) AS kwh,
               sum(cast(cast(coalesce(u.kwh, 0) AS decimal(12,0)) * t.price AS decimal(14,2))) AS cost,
               sum(u.days) AS meter_days,
               count(*) AS meters
        FROM meters m
        LEFT JOIN january_usage u ON u.meter_id = m.meter_id
        LEFT JOIN tariffs t ON t.tariff = m.tariff
        GROUP BY m.customer_type
    """)
