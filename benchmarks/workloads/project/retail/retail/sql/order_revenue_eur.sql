-- Core: revenue of completed orders in EUR
CREATE TABLE retail_order_revenue_eur AS
WITH completed AS (
  SELECT order_id, customer_id, order_date, currency, coupon_code, net_amount, total_amount
  FROM retail_order_totals
  WHERE is_completed
),
rated AS (
  SELECT
    c.*,
    CASE WHEN c.currency = 'EUR' THEN CAST(1 AS DECIMAL(12,6)) ELSE r.rate END AS rate
  FROM completed c
  LEFT JOIN retail_stg_fx_rates r
    ON c.currency = r.currency
    AND c.order_date >= r.valid_from
    AND c.order_date < r.valid_to
)
SELECT
  order_id,
  customer_id,
  order_date,
  TRUNC(order_date, 'MONTH') AS order_month,
  coupon_code,
  currency,
  CAST(ROUND(net_amount * rate, 2) AS DECIMAL(18,2)) AS net_eur,
  CAST(ROUND(total_amount * rate, 2) AS DECIMAL(18,2)) AS total_eur,
  rate IS NULL AS is_rate_missing
FROM rated
