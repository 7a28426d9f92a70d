-- Core: stock of a product over all open stores
CREATE TABLE retail_product_inventory AS
SELECT
  i.product_id,
  COUNT(DISTINCT i.store_id) AS store_count,
  SUM(i.on_hand) AS on_hand,
  SUM(i.available) AS available,
  SUM(CASE WHEN i.available = 0 THEN 1 ELSE 0 END) AS empty_stores,
  MAX(i.snapshot_date) AS last_snapshot
FROM retail_stg_inventory i
JOIN retail_stg_stores s ON s.store_id = i.store_id
WHERE s.is_open
GROUP BY i.product_id
