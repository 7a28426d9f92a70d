CREATE TABLE orders (
  order_id BIGINT NOT NULL,
  customer_id BIGINT,
  order_ts TIMESTAMP,
  status STRING,
  amount DECIMAL(10,2),
  PRIMARY KEY (order_id)
);
CREATE TABLE customers (
  customer_id BIGINT NOT NULL,
  segment STRING,
  country STRING,
  PRIMARY KEY (customer_id)
);
CREATE TABLE refunds (
  refund_id BIGINT NOT NULL,
  order_id BIGINT NOT NULL,
  amount DECIMAL(10,2),
  PRIMARY KEY (refund_id)
);
