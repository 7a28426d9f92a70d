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
