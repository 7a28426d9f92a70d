def build(spark):
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW recent_orders AS
        SELECT customer_id, order_id FROM orders
        WHERE order_ts >= '2024-03-01' AND NOT (status IN ('cancelled', 'returned') OR amount <= 0)
    """)
    targets = spark.sql("""
        SELECT c.customer_id, nullif(lower(trim(c.email)), '') AS email, upper(c.country) AS country
        FROM customers c
        WHERE NOT EXISTS (SELECT 1 FROM recent_orders r WHERE r.customer_id = c.customer_id)
          AND EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id)
          AND c.customer_id NOT IN (SELECT account_id FROM subscriptions WHERE account_id IS NOT NULL AND ended_on IS NULL)
    """)
    dead_stock = spark.sql("""
        SELECT p.sku, p.category
        FROM products p LEFT JOIN order_items i ON p.sku = i.sku
        WHERE i.order_id IS NULL
    """)
    return {"targets": targets.where("email is not null"), "dead_stock": dead_stock}
