from pyspark.sql import functions as F


def build(spark):
    suppliers = spark.sql(
        """
        SELECT upper(trim(name)) AS supplier, coalesce(city, '-') AS city, 'DE' AS country
        FROM domestic_suppliers
        WHERE vat_number IS NOT NULL
        UNION
        SELECT upper(trim(name)) AS supplier, coalesce(city, '-') AS city, upper(country) AS country
        FROM foreign_suppliers
        WHERE country IS NOT NULL
        """
    )
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
