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

CREATE TABLE returns (
  return_id BIGINT NOT NULL,
  order_id BIGINT,
  sku STRING,
  qty INT,
  reason STRING,
  returned_on DATE,
  PRIMARY KEY (return_id)
);
