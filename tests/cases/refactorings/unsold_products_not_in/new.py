# title: left anti join rewritten as NOT IN over a nullable column: one line without a sku empties the result
# expect: inequivalent
# kind: not in with nulls
def build(spark):
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW unsold_products AS
        SELECT p.sku, initcap(trim(p.title)) AS title, lower(p.category) AS category
        FROM products p
        WHERE (p.active IS NULL OR p.active)
          AND p.sku NOT IN (SELECT i.sku FROM order_items i WHERE i.qty > 0)
    """)
    unsold = spark.sql("""
        SELECT u.sku, u.title, u.category, coalesce(r.returned, 0) AS returned
        FROM unsold_products u
        LEFT JOIN (SELECT sku, sum(qty) AS returned FROM returns GROUP BY sku) r ON r.sku = u.sku
    """)
    per_category = spark.sql(
        "SELECT category, count(*) AS unsold FROM unsold_products GROUP BY category"
    )
    return {"unsold": unsold, "per_category": per_category}
