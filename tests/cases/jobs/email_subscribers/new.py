# title: Left join plus null test becomes an anti join, dropDuplicates becomes distinct, fillna becomes coalesce.
# expect: equivalent

from pyspark.sql import DataFrame, SparkSession, functions as F


def normalize_email(df: DataFrame) -> DataFrame:
    return df.withColumn("email", F.lower(F.trim(F.col("email"))))


def build(spark: SparkSession) -> DataFrame:
    signups = spark.table("signups").transform(normalize_email)
    unsubscribed = spark.table("unsubscribes").transform(normalize_email)
    hard_bounced = (
        spark.table("bounces").transform(normalize_email).filter(F.col("bounce_type") == "hard")
    )

    reachable = (
        signups.filter(F.col("opted_in") & F.col("email").contains("@"))
        .join(unsubscribed, "email", "left_anti")
        .join(hard_bounced, "email", "left_anti")
    )
    return (
        reachable.withColumn("source", F.coalesce(F.col("source"), F.lit("direct")))
        .withColumn("country", F.coalesce(F.col("country"), F.lit("XX")))
        .withColumn("domain", F.split("email", "@").getItem(1))
        .withColumn("signup_month", F.trunc("signed_up_on", "month"))
        .select("email", "domain", "source", "country", "signup_month")
        .distinct()
    )
