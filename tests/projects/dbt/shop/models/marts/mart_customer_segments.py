import pyspark.sql.functions as F

VIP_LIFETIME_VALUE = 1000


def model(dbt, session):
    dbt.config(materialized="table")

    customers = dbt.ref("dim_customers")
    sessions = dbt.ref("int_web_sessions")

    visits = sessions.groupBy("customer_id").agg(
        F.count(F.lit(1)).alias("session_count"),
        F.sum("has_purchase").alias("purchase_session_count"),
    )

    segment = (
        F.when(F.col("lifetime_value") >= VIP_LIFETIME_VALUE, F.lit("vip"))
        .when(F.col("order_count") > 0, F.lit("active"))
        .otherwise(F.lit("prospect"))
    )

    return customers.join(visits, on="customer_id", how="left").select(
        "customer_id",
        "country_code",
        "lifetime_value",
        F.coalesce("session_count", F.lit(0)).alias("session_count"),
        F.coalesce("purchase_session_count", F.lit(0)).alias("purchase_session_count"),
        segment.alias("segment"),
    )
