# title: The SQL UNION is rewritten with union and loses its distinct.
# expect: inequivalent

from pyspark.sql import functions as F


def build(spark):
    domestic = (
        spark.table("domestic_suppliers")
        .filter(F.col("vat_number").isNotNull())
        .withColumn("country", F.lit("DE"))
    )
    foreign = (
        spark.table("foreign_suppliers")
        .filter(F.col("country").isNotNull())
        .withColumn("country", F.upper("country"))
    )
    columns = [
        F.upper(F.trim("name")).alias("supplier"),
        F.coalesce(F.col("city"), F.lit("-")).alias("city"),
        F.col("country"),
    ]
    suppliers = domestic.select(*columns).union(foreign.select(*columns))
    invoices = (
        spark.table("invoices")
        .withColumn("supplier", F.upper(F.trim("supplier")))
        .filter(F.col("total") > 0)
        .groupBy("supplier")
        .agg(F.sum("total").alias("invoiced"), F.count("*").alias("invoices"))
    )
    return (
        suppliers.join(invoices, "supplier", "left")
        .withColumn("invoiced", F.coalesce(F.col("invoiced"), F.lit(0)))
        .withColumn("is_active", F.col("invoices").isNotNull())
        .select("supplier", "city", "country", "invoiced", "is_active")
    )
