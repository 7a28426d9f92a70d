# title: distinct moved into the branches but before lower/trim, so addresses which differ only in case or blanks stay twice
# expect: inequivalent
# kind: distinct too early
from pyspark.sql import functions as F


def contacts(spark, table, origin):
    return (
        spark.table(table)
        .select("email")
        .dropDuplicates(["email"])
        .select(F.lower(F.trim("email")).alias("email"), F.lit(origin).alias("origin"))
        .where("contains(email, '@') and email not like '%.io'")
    )


def build(spark):
    unique = contacts(spark, "leads", "lead").unionByName(contacts(spark, "customers", "customer"))
    per_origin = unique.groupBy("origin").count().withColumnRenamed("count", "emails")
    domains = (
        unique.withColumn("domain", F.substring_index("email", "@", -1))
        .groupBy("domain")
        .agg(F.count(F.lit(1)).alias("n"))
    )
    return {"unique": unique, "per_origin": per_origin, "domains": domains}
