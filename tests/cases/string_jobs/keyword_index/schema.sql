CREATE TABLE products (
  product_id BIGINT NOT NULL,
  title STRING,
  category STRING,
  keywords STRING,
  PRIMARY KEY (product_id)
);
CREATE TABLE blocked_keywords (
  keyword STRING
);
