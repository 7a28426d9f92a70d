from pyspark.sql import functions as F


def build(spark):
    subscribers = spark.table("subscribers")
    domains = spark.table("mail_domains")

    cleaned = (
        subscribers.withColumn("email", F.lower(F.trim(F.col("email"))))
        .withColumn("at_pos", F.instr(F.col("email"), "@"))
        .withColumn("domain", F.substring_index("email", "@", -1))
        .withColumn("local_part", F.substring_index("email", "@", 1))
        .withColumn("local_part", F.regexp_replace("local_part", "[+].*$", ""))
        .withColumn("address", F.concat(F.col("local_part"), F.lit("@"), F.col("domain")))
    )
    joined = (
        cleaned.join(domains, "domain", "left")
        .filter(F.col("at_pos") > 1)
        .filter(F.col("opted_in"))
        .filter(~F.coalesce(F.col("is_disposable"), F.lit(False)))
    )

    return (
        joined.withColumn(
            "provider",
            F.when(F.col("provider").isNull(), F.col("domain")).otherwise(F.col("provider")),
        )
        .groupBy("provider")
        .agg(
            F.countDistinct("address").alias("addresses"),
            F.count("*").alias("signups"),
            F.min("signed_up_on").alias("first_signup"),
        )
    )
