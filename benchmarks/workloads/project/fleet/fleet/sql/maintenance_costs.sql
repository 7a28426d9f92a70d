-- Maintenance cost by vehicle and month of the order.
CREATE TABLE fleet_maintenance_costs AS
WITH orders AS (
  SELECT
    vehicle_id,
    TRUNC(opened_on, 'MM') AS month,
    category,
    parts_cost + labour_cost AS cost,
    downtime_days
  FROM fleet_stg_maintenance
  WHERE category <> 'warranty'
)
SELECT
  vehicle_id,
  month,
  COUNT(*) AS orders,
  SUM(cost) AS total_cost,
  SUM(CASE WHEN category = 'tyres' THEN cost ELSE 0 END) AS tyre_cost,
  COALESCE(SUM(downtime_days), 0) AS downtime_days,
  MAX(cost) AS dearest_order
FROM orders
GROUP BY vehicle_id, month
