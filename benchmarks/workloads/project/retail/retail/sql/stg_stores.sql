-- Staging: stores with their opening state
CREATE TABLE retail_stg_stores AS
SELECT
  s.id AS store_id,
  TRIM(s.name) AS store_name,
  INITCAP(TRIM(s.city)) AS city,
  COALESCE(UPPER(TRIM(s.country)), 'ZZ') AS country,
  s.opened_on,
  s.area_sqm,
  (s.closed_on IS NULL OR s.closed_on > DATE'2024-12-31') AS is_open,
  CASE
    WHEN s.area_sqm IS NULL THEN 'unknown'
    WHEN s.area_sqm < 200 THEN 'small'
    WHEN s.area_sqm < 1000 THEN 'medium'
    ELSE 'large'
  END AS size_class
FROM raw_stores s
WHERE s.opened_on IS NOT NULL
