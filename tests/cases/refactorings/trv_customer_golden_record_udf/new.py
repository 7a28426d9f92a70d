# title: Golden id by a first() window over a total order, spend joined on links in one aggregation; same email UDF
# expect: equivalent
# kind: window instead of self join
from pyspark.sql import Window, functions as F
from pyspark.sql.functions import udf


@udf("string")
def canonical_email(email):
    if email is None or "@" not in email:
        return None
    local, domain = email.strip().lower().rsplit("@", 1)
    return local.split("+")[0] + "@" + domain


def build(spark):
    oldest_first = Window.partitionBy("email_key").orderBy("created_at", "customer_id")
    linked = (
        spark.table("customers")
        .select(
            "customer_id",
            canonical_email("email").alias("email_key"),
            "first_name",
            "last_name",
            "created_at",
        )
        .where("email_key IS NOT NULL")
        .withColumn("golden_id", F.first("customer_id").over(oldest_first))
    )
    golden = linked.where("customer_id = golden_id").select(
        "golden_id", "email_key", "first_name", "last_name"
    )
    spend = (
        spark.table("bookings")
        .where("status <> 'CANCELLED' AND customer_id IS NOT NULL")
        .select("customer_id", "booking_id", "total_amount")
    )
    value = (
        linked.join(spend, "customer_id", "left")
        .groupBy("golden_id", "email_key")
        .agg(
            F.count("booking_id").alias("n_bookings"),
            F.coalesce(F.sum("total_amount"), F.lit(0)).alias("lifetime_value"),
        )
    )
    return {"golden_customers": golden, "customer_value": value}
