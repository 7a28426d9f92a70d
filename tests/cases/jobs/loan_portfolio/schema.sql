CREATE TABLE loans (
  loan_id BIGINT NOT NULL,
  customer_id BIGINT NOT NULL,
  product STRING,
  principal DECIMAL(14,2),
  rate DECIMAL(5,4),
  opened_on DATE,
  closed_on DATE,
  days_past_due INT,
  PRIMARY KEY (loan_id)
);
CREATE TABLE collateral (
  loan_id BIGINT NOT NULL,
  kind STRING,
  value DECIMAL(14,2)
);
