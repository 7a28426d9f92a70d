CREATE TABLE transactions (
  txn_id BIGINT NOT NULL,
  account_id BIGINT NOT NULL,
  amount_cents BIGINT,
  country STRING,
  booked_at TIMESTAMP NOT NULL,
  PRIMARY KEY (txn_id)
);
CREATE TABLE accounts (
  account_id BIGINT NOT NULL,
  home_country STRING,
  status STRING,
  PRIMARY KEY (account_id)
);
