CREATE TABLE subscriptions (
  subscription_id BIGINT NOT NULL,
  customer_id BIGINT,
  plan STRING,
  ends_on DATE,
  auto_renew BOOLEAN,
  PRIMARY KEY (subscription_id)
);
CREATE TABLE reminders (
  subscription_id BIGINT NOT NULL,
  sent_on DATE NOT NULL,
  channel STRING
);
