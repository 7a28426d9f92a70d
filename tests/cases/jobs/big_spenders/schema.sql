CREATE TABLE payments (
  payment_id BIGINT NOT NULL,
  customer_id BIGINT NOT NULL,
  amount DECIMAL(10,2),
  method STRING,
  paid_at TIMESTAMP,
  PRIMARY KEY (payment_id)
);
CREATE TABLE customers (
  customer_id BIGINT NOT NULL,
  name STRING,
  vip BOOLEAN,
  PRIMARY KEY (customer_id)
);
