-- Mart: active products that will soon be sold out
CREATE TABLE retail_stock_alerts AS
WITH recent AS (
  SELECT product_id, SUM(units) AS recent_units
  FROM retail_product_sales
  WHERE sales_month >= DATE'2024-10-01'
  GROUP BY product_id
),
stock AS (
  SELECT
    p.product_id,
    p.product_name,
    p.category,
    COALESCE(i.available, 0) AS available,
    COALESCE(i.store_count, 0) AS store_count,
    COALESCE(r.recent_units, 0) AS recent_units
  FROM retail_stg_products p
  LEFT JOIN retail_product_inventory i ON i.product_id = p.product_id
  LEFT JOIN recent r ON r.product_id = p.product_id
  WHERE p.is_active
)
SELECT
  product_id,
  product_name,
  category,
  available,
  store_count,
  recent_units,
  CASE WHEN available = 0 THEN 'sold out' ELSE 'low' END AS alert
FROM stock
WHERE available <= 5 OR available < recent_units
