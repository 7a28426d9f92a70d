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

CREATE TABLE transactions (
  txn_id BIGINT NOT NULL,
  account_id BIGINT NOT NULL,
  booked_at TIMESTAMP NOT NULL,
  txn_type STRING,
  amount DECIMAL(12,2) NOT NULL,
  fee DECIMAL(10,2),
  channel STRING,
  PRIMARY KEY (txn_id)
);
