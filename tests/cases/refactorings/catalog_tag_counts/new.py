# title: explode_outer became LATERAL VIEW explode (without OUTER): products with an empty or null tag list are lost; the case became a lookup join
# expect: inequivalent
# kind: case vs lookup
def build(spark):
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW exploded_tags AS
        SELECT c.sku, coalesce(upper(c.price.currency), 'EUR') AS currency, coalesce(lower(trim(x.tag)), 'untagged') AS tag
        FROM catalog c LATERAL VIEW explode(c.tags) x AS tag
    """)
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW shelves AS SELECT * FROM VALUES ('sale', 'promo'), ('new', 'promo'), ('untagged', 'none') AS s(tag, shelf)
    """)
    return spark.sql("""
        SELECT e.currency, coalesce(s.shelf, 'regular') AS shelf, count(DISTINCT e.sku) AS skus, count(*) AS tags
        FROM exploded_tags e LEFT JOIN shelves s ON s.tag = e.tag
        GROUP BY e.currency, coalesce(s.shelf, 'regular')
    """)
