-- Core: sales per store and day with a running total
CREATE TABLE retail_store_daily_sales AS
WITH daily AS (
  SELECT
    store_id,
    order_date,
    COUNT(*) AS order_count,
    SUM(units) AS units,
    SUM(net_amount) AS net_amount,
    COUNT(DISTINCT customer_id) AS customers
  FROM retail_order_totals
  WHERE is_completed
    AND store_id IS NOT NULL
  GROUP BY store_id, order_date
)
SELECT
  d.store_id,
  d.order_date,
  d.order_count,
  d.units,
  d.net_amount,
  d.customers,
  SUM(d.net_amount) OVER (
    PARTITION BY d.store_id, YEAR(d.order_date)
    ORDER BY d.order_date
    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) AS year_to_date_amount
FROM daily d
