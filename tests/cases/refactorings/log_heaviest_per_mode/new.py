# title: a loop of filter + orderBy + limit per mode with a union is replaced by row_number over the mode (total order through shipment_id)
# expect: equivalent
# kind: top n
from pyspark.sql import Window, functions as F

MODES = ["sea", "rail", "road"]


def build(spark, n=2):
    w = Window.partitionBy("mode").orderBy(F.desc("weight_kg"), "shipment_id")
    carriers = spark.table("carriers").where(F.col("mode").isin(MODES))
    heaviest = (
        carriers.join(spark.table("shipments").where("weight_kg IS NOT NULL"), "carrier_id")
        .withColumn("pos", F.row_number().over(w))
        .where(F.col("pos") <= n)
        .select(
            "mode", "carrier_name", "shipment_id", "origin", "destination", "weight_kg", "freight"
        )
    )
    heaviest.createOrReplaceTempView("heaviest")
    summary = spark.sql("""
        SELECT mode, count(shipment_id) AS n, sum(weight_kg) AS kg, sum(freight) AS freight
        FROM heaviest GROUP BY mode
    """)
    return {"heaviest": heaviest, "summary": summary}
