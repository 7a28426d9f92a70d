-- Staging: accepted returns with a grouped reason
CREATE TABLE retail_stg_returns AS
WITH cleaned AS (
  SELECT
    id AS return_id,
    order_id,
    line_no,
    quantity AS returned_quantity,
    LOWER(TRIM(reason)) AS reason_text,
    returned_on
  FROM raw_returns
  WHERE quantity > 0
)
SELECT
  return_id,
  order_id,
  line_no,
  returned_quantity,
  CASE
    WHEN reason_text IN ('broken', 'damaged', 'defect') THEN 'damaged'
    WHEN reason_text IN ('too small', 'too big') THEN 'size'
    WHEN reason_text IS NULL OR reason_text = '' THEN 'unknown'
    ELSE 'other'
  END AS reason,
  returned_on,
  YEAR(returned_on) AS return_year
FROM cleaned
