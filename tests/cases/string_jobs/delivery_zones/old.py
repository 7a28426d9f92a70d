from pyspark.sql import functions as F


def build(spark):
    zones = spark.table("zones")
    deliveries = (
        spark.table("deliveries")
        .withColumn("country", F.upper(F.trim(F.col("country"))))
        .filter(F.col("country").isin("DE", "AT", "CH"))
        .withColumn("street", F.trim(F.col("street")))
        .withColumn("house_no", F.regexp_extract("street", " ([0-9]+[a-zA-Z]?)$", 1))
        .withColumn("street_name", F.regexp_replace("street", " +[0-9]+[a-zA-Z]?$", ""))
        .withColumn("postal_code", F.regexp_replace("postal_code", "[^0-9]", ""))
        .filter(F.length("postal_code") >= 4)
        .withColumn("postal_prefix", F.substring("postal_code", 1, 2))
    )

    located = deliveries.join(zones, ["country", "postal_prefix"], "left").withColumn(
        "zone", F.coalesce(F.col("zone"), F.lit("unassigned"))
    )
    addressed = located.withColumn(
        "address_key",
        F.concat_ws("|", F.lower("street_name"), F.lower("house_no"), "postal_code"),
    )
    return addressed.groupBy("country", "zone").agg(
        F.count("*").alias("deliveries"),
        F.countDistinct("address_key").alias("addresses"),
        F.sum("weight_grams").alias("weight_grams"),
    )
