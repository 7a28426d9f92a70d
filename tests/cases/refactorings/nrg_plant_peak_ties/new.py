# title: the peak hour found by joining with max(mwh) keeps every hour that reaches the maximum, so tied peaks are summed twice
# expect: inequivalent
# kind: latest per key
def build(spark):
    return spark.sql("""
        WITH maxima AS (
            SELECT plant_id, max(mwh) AS mwh FROM generation GROUP BY plant_id
        ), peaks AS (
            SELECT g.plant_id, g.hour_ts, g.mwh, g.curtailed
            FROM generation g
            JOIN maxima m ON m.plant_id = g.plant_id AND m.mwh = g.mwh
        )
        SELECT p.owner,
               sum(k.mwh) AS sum_of_peaks,
               sum(k.curtailed) AS curtailed_at_peak,
               count(DISTINCT p.plant_id) AS plants
        FROM plants p JOIN peaks k ON k.plant_id = p.plant_id
        GROUP BY p.owner
    """)
