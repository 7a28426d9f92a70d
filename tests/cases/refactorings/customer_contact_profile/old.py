from pyspark.sql import functions as F


def build(spark, default_country="unknown"):
    c = spark.table("customers")
    c = c.withColumn("email", F.lower(F.trim("email")))
    c = c.withColumn("email", F.when(F.col("email").contains("@"), F.col("email")))
    c = c.withColumn("email_domain", F.split("email", "@").getItem(1))
    for name in ["first_name", "last_name"]:
        c = c.withColumn(name, F.trim(F.col(name)))
        c = c.withColumn(name, F.when(F.col(name) != "", F.initcap(F.col(name))))
    c = c.withColumn("full_name", F.concat_ws(" ", "first_name", "last_name"))
    c = c.withColumn("phone_digits", F.regexp_replace("phone", "[^0-9]", ""))
    c = c.withColumn(
        "phone_digits",
        F.when(F.length("phone_digits") >= 6, F.col("phone_digits")).otherwise(F.lit(None)),
    )
    c = c.withColumn("country", F.upper("country"))
    c = c.withColumn(
        "country",
        F.when(
            F.col("country").isNull() | (F.col("country") == ""), F.upper(F.lit(default_country))
        ).otherwise(F.col("country")),
    )
    c = c.withColumn(
        "greeting", F.format_string("Dear %s", F.coalesce("first_name", F.lit("customer")))
    )
    return c.select(
        "customer_id", "full_name", "greeting", "email", "email_domain", "phone_digits", "country"
    )
