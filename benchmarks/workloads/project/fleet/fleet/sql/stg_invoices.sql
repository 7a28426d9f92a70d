-- Invoices without drafts; defaults for due date, currency and tax.
CREATE TABLE fleet_stg_invoices AS
WITH cleaned AS (
  SELECT
    invoice_id,
    customer_id,
    trip_id,
    issued_on,
    COALESCE(due_on, DATE_ADD(issued_on, 30)) AS due_on,
    COALESCE(UPPER(TRIM(currency)), 'EUR') AS currency,
    COALESCE(net_amount, 0) AS net_amount,
    COALESCE(tax_rate, 0.190) AS tax_rate,
    COALESCE(UPPER(TRIM(status)), 'ISSUED') AS status
  FROM src_invoices
)
SELECT
  invoice_id,
  customer_id,
  trip_id,
  issued_on,
  due_on,
  currency,
  net_amount,
  CAST(ROUND(net_amount * (1 + tax_rate), 2) AS DECIMAL(14,2)) AS gross_amount,
  CASE WHEN status IN ('VOID', 'CANCELED') THEN 'CANCELLED' ELSE status END AS status
FROM cleaned
WHERE status <> 'DRAFT'
