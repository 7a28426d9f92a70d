from pyspark.sql import functions as F


def build(spark):
    dial_codes = spark.table("dial_codes")
    contacts = (
        spark.table("contacts")
        .withColumn("country", F.upper(F.trim(F.col("country"))))
        .withColumn("digits", F.regexp_replace("phone", "[ ()/.-]", ""))
        .withColumn(
            "digits",
            F.when(
                F.col("digits").startswith("00"),
                F.concat(F.lit("+"), F.expr("substring(digits, 3)")),
            ).otherwise(F.col("digits")),
        )
    )

    numbers = (
        contacts.join(dial_codes, "country")
        .withColumn(
            "e164",
            F.when(F.col("digits").startswith("+"), F.col("digits"))
            .when(
                F.col("digits").startswith("0"),
                F.concat(F.col("prefix"), F.expr("substring(digits, 2)")),
            )
            .otherwise(F.concat(F.col("prefix"), F.col("digits"))),
        )
        .filter(F.col("kind") != "fax")
        .filter(F.length("e164") >= 8)
        .filter(F.length("e164") <= 16)
        .filter(F.col("e164").rlike("^[+][0-9]+$"))
    )
    return numbers.select(
        "contact_id",
        "country",
        "e164",
        F.substring("e164", -4, 4).alias("last_four"),
        F.col("e164").startswith(F.col("prefix")).alias("is_domestic"),
    )
