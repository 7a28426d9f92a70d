from pyspark.sql import DataFrame, SparkSession, functions as F


def normalize_email(df: DataFrame) -> DataFrame:
    return df.withColumn("email", F.lower(F.trim(F.col("email"))))


def build(spark: SparkSession) -> DataFrame:
    signups = spark.table("signups").transform(normalize_email)
    unsubscribed = (
        spark.table("unsubscribes")
        .transform(normalize_email)
        .select("email")
        .distinct()
        .withColumn("unsubscribed", F.lit(True))
    )
    hard_bounced = (
        spark.table("bounces")
        .transform(normalize_email)
        .filter(F.col("bounce_type") == "hard")
        .select("email")
        .distinct()
        .withColumn("bounced", F.lit(True))
    )

    reachable = (
        signups.filter(F.col("opted_in") & F.col("email").contains("@"))
        .join(unsubscribed, "email", "left")
        .join(hard_bounced, "email", "left")
        .filter(F.col("unsubscribed").isNull())
        .filter(F.col("bounced").isNull())
        .drop("unsubscribed", "bounced")
    )
    return (
        reachable.fillna({"source": "direct", "country": "XX"})
        .withColumn("domain", F.split("email", "@").getItem(1))
        .withColumn("signup_month", F.trunc("signed_up_on", "month"))
        .select("email", "domain", "source", "country", "signup_month")
        .dropDuplicates()
    )
