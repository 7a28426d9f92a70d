from pyspark.sql import functions as F


def build(spark):
    c = spark.table("customers").select(
        F.col("customer_id").alias("id"),
        F.lower(F.trim("email")).alias("email"),
        F.lit("customer").alias("kind"),
        F.to_date("signup_date").alias("since"),
    )
    l = spark.table("leads").select(
        F.col("lead_id").alias("id"),
        F.lower(F.trim("email")).alias("email"),
        F.lit("lead").alias("kind"),
        F.to_date("created_at").alias("since"),
    )
    a = spark.table("accounts").select(
        F.col("account_id").alias("id"),
        F.lower(F.trim("owner_email")).alias("email"),
        F.lit("account").alias("kind"),
        F.to_date("created_at").alias("since"),
    )
    contacts = c.unionByName(l).unionByName(a)
    contacts = contacts.filter(F.col("email").like("%@%"))
    contacts = contacts.filter(
        ~((F.col("kind") == "lead") & (F.col("since") < F.lit("2024-01-01").cast("date")))
    )
    contacts = contacts.filter(F.col("kind") != "account")
    emails = contacts.select("email").distinct()
    per_kind = contacts.groupBy("kind").agg(
        F.countDistinct("email").alias("emails"), F.min("since").alias("first_seen")
    )
    return {"contacts": contacts, "emails": emails, "per_kind": per_kind}
