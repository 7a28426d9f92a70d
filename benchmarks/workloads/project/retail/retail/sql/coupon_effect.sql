-- Mart: how coupons change the basket
CREATE TABLE retail_coupon_effect AS
SELECT
  t.coupon_code,
  COUNT(*) AS orders,
  COUNT(DISTINCT t.customer_id) AS customers,
  SUM(t.discount_amount) AS discount_amount,
  AVG(t.units) AS average_units,
  SUM(CASE WHEN t.is_high_value THEN 1 ELSE 0 END) AS high_value_orders,
  SUM(r.net_eur) AS net_eur,
  MIN(t.order_date) AS first_used,
  MAX(t.order_date) AS last_used
FROM retail_order_totals t
INNER JOIN retail_order_revenue_eur r ON r.order_id = t.order_id
WHERE t.coupon_code IS NOT NULL
GROUP BY t.coupon_code
HAVING COUNT(*) >= 2
