-- Mart: revenue per month with growth
CREATE TABLE retail_monthly_revenue AS
WITH months AS (
  SELECT
    order_month,
    COUNT(*) AS orders,
    COUNT(DISTINCT customer_id) AS customers,
    SUM(net_eur) AS net_eur,
    SUM(total_eur) - SUM(net_eur) AS shipping_eur
  FROM retail_order_revenue_eur
  WHERE NOT is_rate_missing
  GROUP BY order_month
),
compared AS (
  SELECT
    *,
    LAG(net_eur) OVER (ORDER BY order_month) AS previous_eur
  FROM months
)
SELECT
  order_month,
  orders,
  customers,
  net_eur,
  shipping_eur,
  ROUND(net_eur / orders, 2) AS average_eur,
  CASE
    WHEN previous_eur > 0 THEN ROUND((net_eur - previous_eur) / previous_eur, 4)
  END AS growth
FROM compared
