-- Mart: lifetime value per customer in EUR
CREATE TABLE retail_customer_ltv AS
WITH revenue AS (
  SELECT
    customer_id,
    COUNT(*) AS order_count,
    SUM(total_eur) AS ltv_eur,
    MAX(total_eur) AS largest_order_eur,
    MIN(order_month) AS cohort_month
  FROM retail_order_revenue_eur
  WHERE customer_id IS NOT NULL
  GROUP BY customer_id
)
SELECT
  c.customer_id,
  c.country,
  c.signup_date,
  r.cohort_month,
  COALESCE(r.order_count, 0) AS order_count,
  COALESCE(r.ltv_eur, 0) AS ltv_eur,
  r.largest_order_eur,
  CASE
    WHEN r.ltv_eur >= 1000 THEN 'gold'
    WHEN r.ltv_eur >= 250 THEN 'silver'
    ELSE 'bronze'
  END AS tier,
  DENSE_RANK() OVER (
    PARTITION BY c.country
    ORDER BY COALESCE(r.ltv_eur, 0) DESC
  ) AS country_rank
FROM retail_stg_customers c
LEFT JOIN revenue r ON r.customer_id = c.customer_id
