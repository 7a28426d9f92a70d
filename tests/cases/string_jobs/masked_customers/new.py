# title: The masks are built by a helper with concat_ws, so a missing value is masked to bare stars instead of null.
# expect: inequivalent
# why: concat is null when the e-mail or IBAN is null, concat_ws skips the null parts and returns '***@' or '********'.

from pyspark.sql import functions as F


def mask(head, filler, tail):
    return F.concat_ws("", head, F.lit(filler), tail)


def build(spark):
    email = F.lower(F.trim("email"))
    iban = F.upper(F.translate("iban", " ", ""))

    masked = (
        spark.table("bank_customers")
        .select(
            "customer_id",
            mask(email.substr(1, 1), "***@", F.substring_index(email, "@", -1)).alias("email"),
            mask(iban.substr(1, 4), "*" * 8, iban.substr(-4, 4)).alias("iban_masked"),
        )
        .withColumn("contact", F.coalesce("email", "iban_masked", F.lit("n/a")))
    )
    cases = (
        spark.table("service_cases")
        .filter((F.col("status") != "closed") & (F.col("subject") != ""))
        .select("case_id", "customer_id", F.initcap("subject").alias("subject"))
    )
    return cases.join(masked, "customer_id").select("case_id", "contact", "iban_masked", "subject")
