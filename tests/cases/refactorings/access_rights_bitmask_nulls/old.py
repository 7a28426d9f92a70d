from pyspark.sql import functions as F


def build(spark):
    active = spark.table("access_grants").filter("is_active IS NULL OR is_active")
    rights = active.groupBy("employee_id").agg(
        F.bit_and("rights_mask").alias("common_mask"),
        F.bit_or("rights_mask").alias("union_mask"),
        F.collect_set("system_code").alias("systems"),
    )
    return (
        spark.table("employees")
        .join(rights, "employee_id")
        .select(
            "employee_id",
            "full_name",
            F.expr("common_mask & 1 = 1").alias("reads_all"),
            F.expr("union_mask & 4 = 4").alias("admin_any"),
            F.size("systems").alias("n_systems"),
        )
        .filter("reads_all IS NOT NULL OR admin_any IS NOT NULL")
    )
