from pyspark.sql import functions as F


def build(spark):
    customers = spark.table("bank_customers").withColumn("email", F.lower(F.trim(F.col("email"))))
    cases = spark.table("service_cases").filter(F.col("status") != "closed")

    masked = (
        customers.withColumn(
            "email_masked",
            F.concat(
                F.substring("email", 1, 1),
                F.repeat(F.lit("*"), 3),
                F.lit("@"),
                F.substring_index("email", "@", -1),
            ),
        )
        .withColumn("iban", F.upper(F.replace(F.col("iban"), F.lit(" "), F.lit(""))))
        .withColumn(
            "iban_masked",
            F.concat(
                F.substring("iban", 1, 4),
                F.repeat(F.lit("*"), 8),
                F.substring("iban", -4, 4),
            ),
        )
        .withColumn(
            "contact",
            F.coalesce(F.col("email_masked"), F.col("iban_masked"), F.lit("n/a")),
        )
    )
    return (
        cases.join(masked, "customer_id")
        .filter(F.length("subject") > 0)
        .select("case_id", "contact", "iban_masked", F.initcap("subject").alias("subject"))
    )
