# title: lane totals joined back to their rows become window aggregates (sum of sums over the modes, one row per mode), the cleaned rows shared through a temp view
# expect: equivalent
# kind: window vs join back
from pyspark.sql import Window, functions as F

LANE = ["origin", "destination"]
NO_FREIGHT = "0.00"


def build(spark):
    spark.sql(f"""
        SELECT s.shipment_id, s.origin, s.destination, s.created_on,
               coalesce(s.freight, cast('{NO_FREIGHT}' AS decimal(10,2))) AS freight,
               coalesce(c.mode, 'other') AS mode
        FROM shipments s LEFT JOIN carriers c ON c.carrier_id = s.carrier_id
    """).createOrReplaceTempView("clean_shipments")

    per_lane = Window.partitionBy(*LANE)
    shares = (
        spark.table("clean_shipments")
        .groupBy(*LANE, "mode")
        .agg(F.count("shipment_id").alias("n"), F.sum("freight").alias("freight"))
        .withColumn("lane_freight", F.sum("freight").over(per_lane).cast("decimal(20,2)"))
        .withColumn("lane_modes", F.count("*").over(per_lane))
        .where("lane_freight > 0")
        .withColumn("share", F.expr("cast(freight / lane_freight AS decimal(10,4))"))
        .select(*LANE, "mode", "n", "freight", "lane_freight", "lane_modes", "share")
    )
    overpriced = spark.sql("""
        SELECT x.shipment_id, x.origin, x.destination, x.freight, r.rate, x.lane_shipments
        FROM (
            SELECT *, count(*) OVER (PARTITION BY origin, destination) AS lane_shipments
            FROM clean_shipments
        ) x
        JOIN lane_rates r ON r.origin = x.origin AND r.destination = x.destination
        WHERE x.freight > r.rate
    """)
    lanes = spark.sql("""
        WITH totals AS (
            SELECT origin, destination, sum(freight) AS lane_freight,
                   count(*) AS lane_shipments, max(created_on) AS last_created
            FROM clean_shipments
            GROUP BY origin, destination
        )
        SELECT origin, destination,
               coalesce(lane_shipments, 0L) AS lane_shipments,
               lane_freight,
               rate * cast(coalesce(lane_shipments, 0L) AS decimal(10,0)) AS expected,
               last_created
        FROM totals FULL OUTER JOIN lane_rates USING (origin, destination)
    """)
    return {"shares": shares, "overpriced": overpriced, "lanes": lanes}
