-- The last known rate of each currency and month.
CREATE TABLE fleet_stg_fx_monthly AS
WITH ranked AS (
  SELECT
    currency,
    TRUNC(rate_date, 'MM') AS month,
    rate_date,
    rate_to_eur,
    ROW_NUMBER() OVER (
      PARTITION BY currency, TRUNC(rate_date, 'MM')
      ORDER BY rate_date DESC
    ) AS rn
  FROM src_fx_rates
  WHERE rate_to_eur IS NOT NULL
)
SELECT
  currency,
  month,
  rate_date AS quoted_on,
  rate_to_eur
FROM ranked
WHERE rn = 1
  AND rate_to_eur > 0
