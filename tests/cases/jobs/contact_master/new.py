# title: The two sources of a contact swap their precedence in coalesce.
# expect: inequivalent

from pyspark.sql import functions as F

FIELDS = ["email", "phone", "city"]


def cleaned(df, prefix):
    for name in FIELDS:
        value = F.trim(F.col(name))
        df = df.withColumn(name, F.when(value != "", value))
    df = df.withColumn("email", F.lower("email"))
    return df.select("contact_id", *[F.col(c).alias(f"{prefix}_{c}") for c in FIELDS])


def build(spark):
    crm = cleaned(spark.table("crm_contacts"), "crm")
    erp = cleaned(spark.table("erp_contacts"), "erp")

    master = crm.join(erp, "contact_id", "full")
    merged = [F.coalesce(f"erp_{name}", f"crm_{name}").alias(name) for name in FIELDS]
    master = master.select("contact_id", *merged)
    blocked = spark.table("do_not_contact").select(F.lower("email").alias("email"))
    return (
        master.filter(F.coalesce(F.col("email"), F.col("phone")).isNotNull())
        .join(blocked, "email", "left_anti")
        .withColumn("phone", F.regexp_replace("phone", "[^0-9+]", ""))
        .select("contact_id", *FIELDS)
    )
