# title: billing run moved to SQL temp views; net kWh as sum of per-read differences, totals joined back become window aggregates (null zone excluded as by the equi-join), unbilled by NOT EXISTS
# expect: equivalent
# kind: temp views
PEAK_FROM, PEAK_TO = 17, 20
EXPORT_PRICE = "0.0900"


def build(spark, start="2024-01-01", end="2024-02-01", top_n=2):
    spark.sql(f"""
        SELECT meter_id, kwh, nvl(export_kwh, 0L) AS export_kwh, estimated,
               hour(read_at) >= {PEAK_FROM} AND hour(read_at) <= {PEAK_TO} AS is_peak
        FROM meter_reads
        WHERE read_at >= timestamp'{start} 00:00:00' AND read_at < timestamp'{end} 00:00:00'
    """).createOrReplaceTempView("month_reads")

    spark.sql("""
        SELECT meter_id,
               sum(kwh) AS kwh,
               sum(export_kwh) AS export_kwh,
               sum(kwh - export_kwh) AS net_kwh,
               coalesce(sum(kwh) FILTER (WHERE is_peak), 0L) AS peak_kwh,
               count_if(estimated) AS estimated_reads,
               count(*) AS n_reads
        FROM month_reads
        GROUP BY meter_id
    """).createOrReplaceTempView("month_usage")

    spark.sql(f"""
        SELECT u.*, m.zone, t.tariff,
               cast(cast(u.kwh AS decimal(12,0)) * t.price AS decimal(14,2)) AS energy_cost,
               cast(cast(u.export_kwh AS decimal(12,0)) * cast('{EXPORT_PRICE}' AS decimal(8,4))
                    AS decimal(14,2)) AS export_credit,
               coalesce(t.standing, cast(0 AS decimal(8,2))) AS standing
        FROM month_usage u
        JOIN meters m ON m.meter_id = u.meter_id
        JOIN tariffs t ON t.tariff = m.tariff
    """).createOrReplaceTempView("priced_usage")

    bills = spark.sql("""
        SELECT meter_id, zone, tariff, kwh, peak_kwh, net_kwh, energy_cost, export_credit,
               cast(energy_cost + standing - export_credit AS decimal(14,2)) AS bill,
               estimated_reads = n_reads AS all_estimated
        FROM priced_usage
    """)
    bills.createOrReplaceTempView("bills")

    zone_totals = spark.sql("""
        SELECT zone, sum(bill) AS zone_bill, sum(net_kwh) AS zone_net_kwh,
               count(meter_id) AS billed_meters, count_if(all_estimated) AS fully_estimated
        FROM bills
        GROUP BY zone
    """)
    top_bills = spark.sql(f"""
        SELECT zone, place, meter_id, bill, zone_bill, billed_meters
        FROM (
            SELECT zone, meter_id, bill,
                   row_number() OVER (PARTITION BY zone ORDER BY bill DESC, meter_id) AS place,
                   sum(bill) OVER (PARTITION BY zone) AS zone_bill,
                   count(*) OVER (PARTITION BY zone) AS billed_meters
            FROM bills
        )
        WHERE zone IS NOT NULL AND place <= {top_n}
    """)
    unbilled = spark.sql("""
        SELECT m.meter_id, m.zone, m.tariff
        FROM meters m
        WHERE NOT EXISTS (SELECT 1 FROM bills b WHERE b.meter_id = m.meter_id)
    """)
    return {
        "bills": bills,
        "zone_totals": zone_totals,
        "top_bills": top_bills,
        "unbilled": unbilled,
    }
