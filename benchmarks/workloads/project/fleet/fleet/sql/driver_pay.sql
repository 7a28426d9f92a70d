-- Pay of the drivers by ISO week: hours on duty, overtime from the 41st hour.
CREATE TABLE fleet_driver_pay AS
WITH weeks AS (
  SELECT
    driver_id,
    week_start,
    SUM(shift_min) AS duty_min,
    COUNT(*) AS days,
    MAX(CASE WHEN over_limit THEN 1 ELSE 0 END) AS had_overlong_day
  FROM fleet_driver_shifts
  WHERE shift_min > 0
  GROUP BY driver_id, week_start
),
hours AS (
  SELECT
    w.*,
    LEAST(duty_min, 2400) AS regular_min,
    GREATEST(duty_min - 2400, 0) AS overtime_min
  FROM weeks w
)
SELECT
  h.driver_id,
  d.driver_name,
  h.week_start,
  h.days,
  h.regular_min,
  h.overtime_min,
  CAST(
    ROUND((h.regular_min + h.overtime_min * 1.25) * d.hourly_rate / 60, 2)
    AS DECIMAL(14,2)
  ) AS pay_eur,
  h.had_overlong_day = 1 AS needs_review
FROM hours h
JOIN fleet_stg_drivers d ON d.driver_id = h.driver_id
