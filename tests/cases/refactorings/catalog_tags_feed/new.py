# title: explode and distinct as LATERAL VIEW with GROUP BY, nullif for when, exists for array_contains, struct and map access in another notation
# expect: equivalent
# kind: text cleaning
from pyspark.sql import functions as F


def build(spark):
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW sku_tags AS
        SELECT sku, lower(trim(t)) AS tag
        FROM catalog LATERAL VIEW explode(tags) x AS t
        WHERE trim(t) <> ''
        GROUP BY sku, lower(trim(t))
    """)
    feed = (
        spark.table("catalog")
        .where("price.net > 0")
        .select(
            "sku",
            F.expr("coalesce(nullif(initcap(trim(title)), ''), '(untitled)')").alias("title"),
            F.expr("nullif(trim(element_at(attrs, 'color')), '')").alias("color"),
            F.coalesce(F.upper(F.col("price")["currency"]), F.lit("EUR")).alias("currency"),
            F.col("price.net").alias("net"),
            F.coalesce(F.exists("tags", lambda t: t == "sale"), F.lit(False)).alias("on_sale"),
            F.coalesce(F.size(F.coalesce("tags", F.array().cast("array<string>"))), F.lit(0)).alias(
                "n_tags"
            ),
        )
    )
    return {
        "tags": spark.table("sku_tags"),
        "feed": feed,
        "popular": spark.sql(
            "SELECT tag, count(*) AS skus FROM sku_tags GROUP BY tag HAVING count(*) > 1"
        ),
    }
