# title: filters pushed into the branches of a union (the accounts branch disappears), countDistinct as two-step grouping; a lead with null date is dropped on both sides
# expect: equivalent
# kind: filter through union
from pyspark.sql import functions as F

SOURCES = [
    ("customers", "customer_id", "signup_date", "customer"),
    ("leads", "lead_id", "created_at", "lead"),
]


def load(spark, table, key, since, kind):
    return spark.table(table).select(
        F.col(key).alias("id"),
        F.lower(F.trim(F.col("email"))).alias("email"),
        F.lit(kind).alias("kind"),
        F.col(since).cast("date").alias("since"),
    )


def build(spark):
    parts = [load(spark, *s).where(F.col("email").contains("@")) for s in SOURCES]
    customers, leads = parts
    contacts = customers.union(leads.where("since >= date'2024-01-01'"))
    emails = contacts.groupBy("email").count().select("email")
    per_kind = (
        contacts.groupBy("kind", "email")
        .agg(F.min("since").alias("since"))
        .groupBy("kind")
        .agg(F.count("email").alias("emails"), F.min("since").alias("first_seen"))
    )
    return {"contacts": contacts, "emails": emails, "per_kind": per_kind}
