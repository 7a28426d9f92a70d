# title: The country filter moves to the front, before the codes are trimmed and put into upper case.
# expect: inequivalent
# why: a delivery with country 'de' or ' DE' was kept by the filter on the cleaned code and is now dropped.

from pyspark.sql import functions as F

COUNTRIES = ("DE", "AT", "CH")


def with_address_key(df):
    street = F.trim("street")
    return df.withColumn(
        "address_key",
        F.concat_ws(
            "|",
            F.lower(F.regexp_replace(street, " +[0-9]+[a-zA-Z]?$", "")),
            F.lower(F.regexp_extract(street, " ([0-9]+[a-zA-Z]?)$", 1)),
            "postal_code",
        ),
    )


def build(spark):
    deliveries = (
        spark.table("deliveries")
        .filter(F.col("country").isin(*COUNTRIES))
        .withColumn("country", F.upper(F.trim("country")))
        .withColumn("postal_code", F.regexp_replace("postal_code", "[^0-9]", ""))
        .filter(F.length("postal_code") >= 4)
        .withColumn("postal_prefix", F.col("postal_code").substr(1, 2))
        .transform(with_address_key)
    )

    return (
        deliveries.join(spark.table("zones"), ["country", "postal_prefix"], "left")
        .groupBy("country", F.expr("nvl(zone, 'unassigned')").alias("zone"))
        .agg(
            F.count("*").alias("deliveries"),
            F.countDistinct("address_key").alias("addresses"),
            F.sum("weight_grams").alias("weight_grams"),
        )
    )
