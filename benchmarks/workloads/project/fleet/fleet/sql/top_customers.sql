-- The ten customers with the greatest revenue of each year.
CREATE TABLE fleet_top_customers AS
WITH yearly AS (
  SELECT
    customer_id,
    YEAR(month) AS year,
    SUM(revenue) AS revenue,
    SUM(trips) AS trips
  FROM fleet_customer_trips
  GROUP BY customer_id, YEAR(month)
),
ranked AS (
  SELECT
    y.*,
    ROW_NUMBER() OVER (PARTITION BY year ORDER BY revenue DESC, customer_id) AS position
  FROM yearly y
  WHERE revenue > 0
)
SELECT
  r.year,
  r.position,
  r.customer_id,
  c.customer_name,
  c.country,
  r.revenue,
  r.trips,
  COALESCE(b.open_eur, 0) AS open_eur
FROM ranked r
LEFT JOIN fleet_stg_customers c ON c.customer_id = r.customer_id
LEFT JOIN fleet_customer_balance b ON b.customer_id = r.customer_id
WHERE r.position <= 10
