CREATE TABLE products (
  product_id BIGINT NOT NULL,
  category STRING,
  brand STRING,
  price DECIMAL(8,2),
  tags ARRAY<STRING>,
  PRIMARY KEY (product_id)
);
CREATE TABLE blocked_tags (
  tag STRING NOT NULL
);
