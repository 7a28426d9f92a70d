# title: Struct of contact and risk packed, carried through joins and unpacked at the end against direct columns; map lookup by key of missing map gives null in both.
# expect: equivalent
# kind: structs packed and unpacked
from pyspark.sql import functions as F

CONTACT_FIELDS = {
    "phone": "contact.phone",
    "email": "lower(trim(contact.email))",
    "risk": "element_at(flags, 'risk')",
}


def build(spark):
    flat = spark.table("patient_profiles")
    for name, sql in CONTACT_FIELDS.items():
        flat = flat.withColumn(name, F.expr(sql))
    flat = flat.select("patient_id", *CONTACT_FIELDS)

    pat = spark.table("patients").alias("p")
    prov = spark.table("providers").alias("d")
    return (
        pat.join(flat.alias("c"), F.col("p.patient_id") == F.col("c.patient_id"), "left")
        .join(prov, F.col("p.pcp_id") == F.col("d.provider_id"), "left")
        .where("coalesce(c.phone, c.email) IS NOT NULL OR p.state = 'CA'")
        .select("p.patient_id", "p.last_name", "d.provider_name", "c.phone", "c.email", "c.risk")
    )
