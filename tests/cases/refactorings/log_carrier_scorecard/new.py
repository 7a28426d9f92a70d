# title: avg of a SMALLINT as exact sum / count (null without weights), conditional sums as count_if, filter as HAVING, count distinct over two NOT NULL columns as size of a set of structs
# expect: equivalent
# kind: sum over count
def build(spark, min_shipments=1):
    return spark.sql(f"""
        SELECT c.carrier_name, c.mode, x.shipments, x.delivered, x.late, x.on_time, x.lanes,
               CASE WHEN x.n_kg > 0 THEN x.kg / x.n_kg END AS avg_kg,
               cast(x.late * 100 AS double) / x.shipments AS late_pct
        FROM carriers c
        JOIN (
            SELECT carrier_id,
                   count(*) AS shipments,
                   count_if(delivered_on IS NOT NULL) AS delivered,
                   count_if(delivered_on > promised_on) AS late,
                   count_if(delivered_on <= promised_on) AS on_time,
                   sum(weight_kg) AS kg,
                   count(weight_kg) AS n_kg,
                   cast(size(collect_set(struct(origin, destination))) AS bigint) AS lanes
            FROM shipments
            GROUP BY carrier_id
            HAVING count(*) > {min_shipments}
        ) x ON x.carrier_id = c.carrier_id
    """)
