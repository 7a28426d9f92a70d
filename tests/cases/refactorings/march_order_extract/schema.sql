CREATE TABLE orders (
  order_id BIGINT NOT NULL,
  customer_id BIGINT,
  store_code STRING,
  order_ts TIMESTAMP,
  status STRING,
  channel STRING,
  amount DECIMAL(12,2),
  discount DECIMAL(12,2),
  coupon STRING,
  PRIMARY KEY (order_id)
);

CREATE TABLE order_items (
  order_id BIGINT NOT NULL,
  line_no INT NOT NULL,
  sku STRING,
  qty INT,
  unit_price DECIMAL(10,2),
  PRIMARY KEY (order_id, line_no)
);
