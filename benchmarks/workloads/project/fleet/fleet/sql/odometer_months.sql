-- Driven km by vehicle and month according to the odometer.
CREATE TABLE fleet_odometer_months AS
WITH monthly AS (
  SELECT
    vehicle_id,
    TRUNC(event_date, 'MM') AS month,
    MIN(first_odometer_km) AS month_first_km,
    MAX(last_odometer_km) AS month_last_km,
    SUM(harsh_events) AS harsh_events,
    COUNT(*) AS days_seen
  FROM fleet_vehicle_days
  WHERE last_odometer_km IS NOT NULL
  GROUP BY vehicle_id, TRUNC(event_date, 'MM')
),
with_previous AS (
  SELECT
    m.*,
    LAG(month_last_km) OVER (PARTITION BY vehicle_id ORDER BY month) AS previous_km
  FROM monthly m
)
SELECT
  vehicle_id,
  month,
  month_last_km AS odometer_km,
  CASE
    WHEN previous_km IS NULL OR previous_km > month_last_km THEN month_last_km - month_first_km
    ELSE month_last_km - previous_km
  END AS driven_km,
  days_seen,
  harsh_events
FROM with_previous
