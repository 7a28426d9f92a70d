-- Staging: exchange rates to EUR with their validity
CREATE TABLE retail_stg_fx_rates AS
SELECT
  UPPER(currency) AS currency,
  rate,
  rate_date AS valid_from,
  COALESCE(
    LEAD(rate_date) OVER (PARTITION BY currency ORDER BY rate_date),
    DATE'9999-12-31'
  ) AS valid_to
FROM raw_fx_rates
WHERE rate > 0 AND currency <> 'EUR'
