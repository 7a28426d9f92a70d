CREATE TABLE stock_items (
  item_id BIGINT NOT NULL,
  sku STRING,
  bin STRING,
  qty INT,
  PRIMARY KEY (item_id)
);
CREATE TABLE sku_families (
  family STRING NOT NULL,
  family_name STRING,
  PRIMARY KEY (family)
);
