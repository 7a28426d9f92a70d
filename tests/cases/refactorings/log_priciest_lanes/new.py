# title: the top freights per origin use dense_rank instead of rank, so after a tie the next lower freight is still included
# expect: inequivalent
# kind: rank ties
def build(spark, n=2):
    spark.sql(f"""
        SELECT x.origin, x.destination, x.shipment_id, x.place, x.freight,
               x.freight - r.rate AS above_rate
        FROM (
            SELECT *, dense_rank() OVER (PARTITION BY origin ORDER BY freight DESC) AS place
            FROM shipments
            WHERE freight IS NOT NULL
        ) x
        LEFT JOIN lane_rates r USING (origin, destination)
        WHERE x.place <= {n}
    """).createOrReplaceTempView("rated_lanes")
    per_origin = spark.sql("""
        SELECT origin, count(*) AS n, sum(freight) AS freight, sum(above_rate) AS above
        FROM rated_lanes GROUP BY origin
    """)
    return {"rated": spark.table("rated_lanes"), "per_origin": per_origin}
