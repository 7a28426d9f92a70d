# title: Equipped items exploded from an array of structs and aggregated against higher-order functions (filter, exists, transform, array_distinct) on the array; null array treated as empty.
# expect: equivalent
# kind: explode structs vs higher order
from pyspark.sql import functions as F


def build(spark):
    gear = (
        spark.table("loadouts")
        .withColumn(
            "item_ids", F.expr("filter(transform(slots, s -> s.item_id), i -> i IS NOT NULL)")
        )
        .selectExpr(
            "player_id",
            "size(slots) AS n_slots",
            "size(item_ids) AS n_filled",
            "size(array_distinct(item_ids)) AS n_items",
            "array_max(transform(slots, s -> s.lvl)) AS top_lvl",
            "exists(slots, s -> s.slot <=> 'main') AS has_main",
            "cardinality(map_keys(stats)) AS n_stats",
        )
    )
    zero = {c: F.coalesce(F.col(c), F.lit(0)).alias(c) for c in ("n_slots", "n_filled", "n_items")}
    return gear.join(spark.table("players"), "player_id", "right").select(
        "player_id",
        "handle",
        *zero.values(),
        "top_lvl",
        F.coalesce("has_main", F.lit(False)).alias("has_main"),
        F.coalesce("n_stats", F.lit(0)).alias("n_stats"),
    )
