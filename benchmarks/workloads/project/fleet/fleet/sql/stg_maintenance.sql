-- Work orders with their cost and the days the vehicle was missing.
CREATE TABLE fleet_stg_maintenance AS
SELECT
  m.work_order_id,
  m.vehicle_id,
  m.opened_on,
  m.closed_on,
  COALESCE(LOWER(TRIM(m.category)), 'other') AS category,
  COALESCE(m.parts_cost, 0) AS parts_cost,
  CAST(COALESCE(m.labour_hours, 0) * 65.00 AS DECIMAL(12,2)) AS labour_cost,
  CASE
    WHEN m.closed_on IS NULL THEN NULL
    WHEN m.closed_on < m.opened_on THEN 0
    ELSE DATEDIFF(m.closed_on, m.opened_on) + 1
  END AS downtime_days
FROM src_maintenance m
JOIN src_vehicles v
  ON v.vehicle_id = m.vehicle_id
WHERE m.parts_cost >= 0 OR m.parts_cost IS NULL
