CREATE TABLE subscriptions (
  sub_id BIGINT NOT NULL,
  account_id BIGINT,
  plan STRING,
  started_on DATE,
  ended_on DATE,
  mrr DECIMAL(10,2),
  status STRING,
  PRIMARY KEY (sub_id)
);

CREATE TABLE invoices (
  invoice_id BIGINT NOT NULL,
  sub_id BIGINT,
  issued_on DATE,
  paid_at TIMESTAMP,
  amount DECIMAL(10,2),
  state STRING,
  PRIMARY KEY (invoice_id)
);
