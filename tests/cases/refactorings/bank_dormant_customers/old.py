from pyspark.sql import functions as F

CUTOFF = "2024-02-01"


def build(spark, cutoff=CUTOFF):
    customers = spark.table("customers")
    accounts = spark.table("accounts")
    txns = spark.table("transactions")
    blocked = spark.table("blocked_customers")
    branches = spark.table("branches")

    recent = txns.filter(F.col("booked_at") >= F.lit(cutoff).cast("timestamp"))
    active_ids = (
        recent.join(accounts, "account_id")
        .select("customer_id")
        .filter("customer_id is not null")
        .distinct()
    )
    dormant = customers.join(active_ids, "customer_id", "left_anti").join(
        blocked, "customer_id", "left_anti"
    )
    dormant_out = (
        dormant.join(branches, "branch_code", "left")
        .withColumn("region", F.coalesce("region", F.lit("unassigned")))
        .select("customer_id", "full_name", "segment", "region")
    )
    never_used = accounts.join(txns, "account_id", "left_anti").select(
        "account_id", "customer_id", "product"
    )
    orphans = (
        txns.join(accounts.select("account_id", "currency"), "account_id", "left")
        .filter(F.col("currency").isNull())
        .groupBy("account_id")
        .agg(F.sum("amount").alias("amount"), F.count("*").alias("n"))
    )
    return {"dormant": dormant_out, "never_used": never_used, "orphans": orphans}
