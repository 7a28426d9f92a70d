# title: rollup without its grand total rewritten as a union of two group-bys, net as sum(mwh) - sum(curtailed) (both NOT NULL)
# expect: equivalent
# kind: rollup union
from pyspark.sql import functions as F

ALL = "(all)"
UNKNOWN = "(unknown)"


def summarise(facts, keys):
    return facts.groupBy(*keys).agg(
        (F.sum("mwh") - F.sum("curtailed")).alias("net_mwh"),
        F.count(F.lit(1)).alias("hours"),
        F.countDistinct("plant_id").alias("plants"),
    )


def build(spark, year=2024):
    facts = spark.sql(f"""
        SELECT p.region, p.fuel, g.plant_id, g.mwh, g.curtailed
        FROM generation g JOIN plants p ON p.plant_id = g.plant_id
        WHERE year(g.hour_ts) = {year}
    """)
    detail = summarise(facts, ["region", "fuel"]).withColumn(
        "fuel", F.coalesce("fuel", F.lit(UNKNOWN))
    )
    subtotal = summarise(facts, ["region"]).withColumn("fuel", F.lit(ALL))
    return (
        detail.unionByName(subtotal)
        .withColumn("region", F.coalesce("region", F.lit(UNKNOWN)))
        .select("region", "fuel", "net_mwh", "hours", "plants")
    )
