CREATE TABLE customers (
  customer_id BIGINT NOT NULL,
  email STRING,
  first_name STRING,
  last_name STRING,
  country STRING,
  signup_date DATE,
  segment STRING,
  phone STRING,
  PRIMARY KEY (customer_id)
);

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

CREATE TABLE products (
  sku STRING NOT NULL,
  title STRING,
  category STRING,
  brand STRING,
  list_price DECIMAL(10,2),
  active BOOLEAN,
  PRIMARY KEY (sku)
);

CREATE TABLE order_items (
  order_id BIGINT NOT NULL,
  line_no INT NOT NULL,
  sku STRING,
  qty INT,
  unit_price DECIMAL(10,2),
  PRIMARY KEY (order_id, line_no)
);
