from pyspark.sql import Window, functions as F
from pyspark.sql.functions import udf


@udf("string")
def canonical_email(email):
    if email is None or "@" not in email:
        return None
    local, domain = email.strip().lower().rsplit("@", 1)
    return local.split("+")[0] + "@" + domain


def build(spark):
    customers = (
        spark.table("customers")
        .withColumn("email_key", canonical_email("email"))
        .filter(F.col("email_key").isNotNull())
    )
    w = Window.partitionBy("email_key").orderBy(
        F.col("created_at").asc(), F.col("customer_id").asc()
    )
    ranked = customers.withColumn("rn", F.row_number().over(w))
    golden = ranked.filter("rn = 1").select(
        F.col("customer_id").alias("golden_id"), "email_key", "first_name", "last_name"
    )
    links = ranked.select("customer_id", "email_key").join(
        golden.select("golden_id", "email_key"), "email_key"
    )
    bookings = spark.table("bookings").filter(F.col("status") != "CANCELLED")
    value = (
        bookings.join(links, "customer_id")
        .groupBy("golden_id")
        .agg(F.count("*").alias("n_bookings"), F.sum("total_amount").alias("lifetime_value"))
    )
    return {
        "golden_customers": golden,
        "customer_value": golden.join(value, "golden_id", "left").select(
            "golden_id",
            "email_key",
            F.coalesce("n_bookings", F.lit(0)).alias("n_bookings"),
            F.coalesce("lifetime_value", F.lit(0)).alias("lifetime_value"),
        ),
    }
