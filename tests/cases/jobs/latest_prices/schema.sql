CREATE TABLE price_changes (
  change_id BIGINT NOT NULL,
  sku STRING NOT NULL,
  currency STRING,
  price DECIMAL(9,2),
  valid_from DATE NOT NULL,
  PRIMARY KEY (change_id)
);
CREATE TABLE items (
  sku STRING NOT NULL,
  item_name STRING,
  category STRING,
  PRIMARY KEY (sku)
);
