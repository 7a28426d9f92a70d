# title: Null rights masks coalesced to 0 before the every() test: one grant with unknown rights now makes the all-grants flag false (bit_and ignored it).
# expect: inequivalent
# kind: bit aggregates
from pyspark.sql import functions as F


def has_bit(col, bit):
    return F.coalesce(F.col(col), F.lit(0)).bitwiseAND(bit) == bit


def build(spark):
    rights = (
        spark.table("access_grants")
        .filter(F.coalesce("is_active", F.lit(True)))
        .groupBy("employee_id")
        .agg(
            F.bool_and(has_bit("rights_mask", 1)).alias("reads_all"),
            F.bool_or(has_bit("rights_mask", 4)).alias("admin_any"),
            F.countDistinct("system_code").cast("int").alias("n_systems"),
            F.count("rights_mask").alias("known_masks"),
        )
        .filter("known_masks > 0")
        .drop("known_masks")
    )
    return (
        spark.table("employees")
        .join(rights, "employee_id")
        .select("employee_id", "full_name", "reads_all", "admin_any", "n_systems")
    )
