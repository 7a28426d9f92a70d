CREATE TABLE domestic_suppliers (
  name STRING,
  city STRING,
  vat_number STRING
);
CREATE TABLE foreign_suppliers (
  name STRING,
  city STRING,
  country STRING
);
CREATE TABLE invoices (
  invoice_id BIGINT NOT NULL,
  supplier STRING,
  total DECIMAL(12,2),
  PRIMARY KEY (invoice_id)
);
