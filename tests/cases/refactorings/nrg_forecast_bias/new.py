# title: sums of differences become differences of sums (a missing forecast is 0, so coalesce around sum(forecast) is the same), cumulative count as row_number, lag with a default
# expect: equivalent
# kind: sum of differences
def build(spark):
    spark.sql("""
        SELECT plant_id, trunc(hour_ts, 'MM') AS month,
               count(*) AS hours,
               sum(mwh) - coalesce(sum(forecast), cast(0 AS decimal(22,3))) AS bias,
               sum(mwh) - sum(curtailed) AS net
        FROM generation
        GROUP BY plant_id, trunc(hour_ts, 'MM')
    """).createOrReplaceTempView("monthly_generation")
    return spark.sql("""
        SELECT g.plant_id, p.fuel, p.region, g.month, g.hours, g.bias, g.net,
               cast(sum(g.net) OVER w AS decimal(23,3)) AS net_ytd,
               g.net - lag(g.net, 1, cast(0 AS decimal(23,3))) OVER w AS change,
               cast(row_number() OVER w AS bigint) AS months_so_far
        FROM monthly_generation g
        LEFT JOIN plants p ON p.plant_id = g.plant_id
        WINDOW w AS (PARTITION BY g.plant_id ORDER BY g.month)
    """)
