# title: The character class becomes translate, prefix tests become LIKE and substrings, and the kind filter moves in front of the join.
# expect: equivalent
# why: translate with an empty target deletes the same six characters, LIKE '00%' equals startswith, between equals both bounds.

from pyspark.sql import functions as F

PUNCTUATION = " ()/.-"


def international(digits):
    """Replaces the leading 00 of an international number by a plus."""
    rest = digits.substr(F.lit(3), F.length(digits))
    return F.when(digits.like("00%"), F.concat(F.lit("+"), rest)).otherwise(digits)


def build(spark):
    digits = F.translate(F.col("phone"), PUNCTUATION, "")
    contacts = (
        spark.table("contacts")
        .filter(F.col("kind") != "fax")
        .select(
            "contact_id",
            F.upper(F.trim("country")).alias("country"),
            international(digits).alias("digits"),
        )
    )
    e164 = F.expr("""
        CASE WHEN digits LIKE '+%' THEN digits
             WHEN left(digits, 1) = '0' THEN concat(prefix, substring(digits, 2))
             ELSE concat(prefix, digits)
        END
    """)

    return (
        contacts.join(spark.table("dial_codes"), "country")
        .withColumn("e164", e164)
        .filter(F.length("e164").between(8, 16) & F.col("e164").rlike("^[+][0-9]+$"))
        .selectExpr(
            "contact_id",
            "country",
            "e164",
            "right(e164, 4) AS last_four",
            "startswith(e164, prefix) AS is_domestic",
        )
    )
