CREATE TABLE bank_customers (
  customer_id BIGINT NOT NULL,
  email STRING,
  iban STRING,
  PRIMARY KEY (customer_id)
);
CREATE TABLE service_cases (
  case_id BIGINT NOT NULL,
  customer_id BIGINT,
  subject STRING,
  status STRING,
  PRIMARY KEY (case_id)
);
