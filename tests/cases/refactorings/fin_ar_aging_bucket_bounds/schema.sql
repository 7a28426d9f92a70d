CREATE TABLE invoices (
  invoice_id BIGINT NOT NULL,
  customer_id BIGINT,
  invoice_date DATE NOT NULL,
  due_date DATE,
  gross_amount DECIMAL(12,2) NOT NULL,
  status STRING,
  PRIMARY KEY (invoice_id)
);

CREATE TABLE receipts (
  receipt_id BIGINT NOT NULL,
  invoice_id BIGINT,
  received_on DATE NOT NULL,
  amount DECIMAL(12,2),
  PRIMARY KEY (receipt_id)
);

CREATE TABLE debtors (
  customer_id BIGINT NOT NULL,
  debtor_name STRING,
  segment STRING,
  credit_limit DECIMAL(12,2),
  PRIMARY KEY (customer_id)
);
