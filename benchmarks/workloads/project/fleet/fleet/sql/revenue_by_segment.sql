-- Revenue by segment and month, with the share of the month.
CREATE TABLE fleet_revenue_by_segment AS
WITH seg AS (
  SELECT
    COALESCE(segment, 'NONE') AS segment,
    month,
    SUM(revenue) AS revenue,
    COUNT(*) AS trips,
    COUNT(DISTINCT customer_id) AS customers
  FROM fleet_trip_facts
  WHERE revenue IS NOT NULL
  GROUP BY COALESCE(segment, 'NONE'), month
)
SELECT
  segment,
  month,
  revenue,
  trips,
  customers,
  SUM(revenue) OVER (PARTITION BY month) AS month_revenue,
  SUM(revenue) OVER (
    PARTITION BY segment
    ORDER BY month
    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) AS revenue_to_date,
  RANK() OVER (PARTITION BY month ORDER BY revenue DESC) AS segment_rank
FROM seg
