CREATE TABLE customers (
  customer_id BIGINT NOT NULL,
  full_name STRING,
  segment STRING,
  branch_code STRING,
  opened_on DATE,
  PRIMARY KEY (customer_id)
);

CREATE TABLE accounts (
  account_id BIGINT NOT NULL,
  customer_id BIGINT,
  product STRING,
  currency STRING NOT NULL,
  status STRING,
  opened_on DATE,
  credit_limit DECIMAL(12,2),
  PRIMARY KEY (account_id)
);

CREATE TABLE balances (
  account_id BIGINT NOT NULL,
  as_of DATE NOT NULL,
  balance DECIMAL(14,2),
  updated_at TIMESTAMP,
  source STRING,
  PRIMARY KEY (account_id, as_of)
);
