-- Trips and revenue by customer and month.
CREATE TABLE fleet_customer_trips AS
SELECT
  f.customer_id,
  f.month,
  COUNT(*) AS trips,
  COUNT(DISTINCT f.vehicle_id) AS vehicles,
  SUM(f.distance_km) AS km,
  COALESCE(SUM(f.revenue), 0) AS revenue,
  MAX(f.trip_date) AS last_trip_on,
  COUNT(CASE WHEN f.is_long_haul THEN 1 END) AS long_hauls
FROM fleet_trip_facts f
WHERE f.customer_id IS NOT NULL
GROUP BY f.customer_id, f.month
HAVING COUNT(*) > 0
