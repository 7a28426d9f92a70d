# title: loop of withColumn text cleaning rewritten as two selects with nullif/initcap/concat; same null and empty handling
# expect: equivalent
# kind: text cleaning
from pyspark.sql import functions as F

NAME = "nullif(initcap(trim({0})), '')"


def build(spark, default_country="unknown"):
    stage = spark.table("customers").selectExpr(
        "customer_id",
        "if(contains(email, '@'), lower(trim(email)), null) as email",
        NAME.format("first_name") + " as first_name",
        NAME.format("last_name") + " as last_name",
        "regexp_replace(phone, '[^0-9]', '') as digits",
        f"coalesce(nullif(upper(country), ''), '{default_country.upper()}') as country",
    )
    return stage.select(
        "customer_id",
        F.concat_ws(" ", F.col("first_name"), F.col("last_name")).alias("full_name"),
        F.concat(F.lit("Dear "), F.coalesce(F.col("first_name"), F.lit("customer"))).alias(
            "greeting"
        ),
        "email",
        F.expr("split(email, '@')[1]").alias("email_domain"),
        F.expr("case when length(digits) >= 6 then digits end").alias("phone_digits"),
        "country",
    )
