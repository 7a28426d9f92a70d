CREATE TABLE products (
  sku STRING NOT NULL,
  title STRING,
  category STRING,
  brand STRING,
  list_price DECIMAL(10,2),
  active BOOLEAN,
  PRIMARY KEY (sku)
);

CREATE TABLE supplier_feed (
  line_id BIGINT NOT NULL,
  supplier STRING,
  sku STRING,
  qty_text STRING,
  pack STRING,
  grade STRING,
  received DATE,
  PRIMARY KEY (line_id)
);
