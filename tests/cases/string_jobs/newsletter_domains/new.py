# title: The clean-up becomes a helper, filters on subscribers move in front of the left join and the temporary position column goes.
# expect: equivalent
# why: the moved filters read only the left side, locate equals instr, trim and lower commute, IS NOT TRUE equals not coalesce(x, false).

from pyspark.sql import functions as F


def parse_email(df, column="email"):
    email = F.trim(F.lower(F.col(column)))
    local = F.regexp_replace(F.substring_index(email, "@", 1), "[+].*$", "")
    domain = F.substring_index(email, "@", -1)
    return df.filter(F.locate("@", email) > 1).select(
        "signed_up_on",
        domain.alias("domain"),
        F.concat(local, F.lit("@"), domain).alias("address"),
    )


def build(spark):
    opted_in = spark.table("subscribers").filter("opted_in")
    domains = spark.table("mail_domains")

    return (
        parse_email(opted_in)
        .join(domains, "domain", "left")
        .where("is_disposable IS NOT TRUE")
        .groupBy(F.coalesce(F.col("provider"), F.col("domain")).alias("provider"))
        .agg(
            F.countDistinct("address").alias("addresses"),
            F.count("*").alias("signups"),
            F.min("signed_up_on").alias("first_signup"),
        )
    )
