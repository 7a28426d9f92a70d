-- One row per region and month for the management report.
CREATE TABLE fleet_overview AS
WITH depot AS (
  SELECT
    COALESCE(region, 'n/a') AS region,
    month,
    COUNT(*) AS depots,
    SUM(vehicles) AS vehicles,
    SUM(trips) AS trips,
    SUM(km) AS km,
    SUM(maintenance_eur) AS maintenance_eur
  FROM fleet_depot_monthly
  GROUP BY COALESCE(region, 'n/a'), month
),
standing AS (
  SELECT
    COALESCE(v.region, 'n/a') AS region,
    c.month,
    COUNT(*) AS standing_vehicles
  FROM fleet_cost_per_km c
  JOIN fleet_stg_vehicles v ON v.vehicle_id = c.vehicle_id
  WHERE c.standing
  GROUP BY COALESCE(v.region, 'n/a'), c.month
)
SELECT
  d.region,
  d.month,
  d.depots,
  d.vehicles,
  d.trips,
  d.km,
  d.maintenance_eur,
  COALESCE(s.standing_vehicles, 0) AS standing_vehicles,
  LAG(d.km) OVER (PARTITION BY d.region ORDER BY d.month) AS previous_km
FROM depot d
LEFT JOIN standing s
  ON s.region = d.region
 AND s.month = d.month
