CREATE TABLE inventory (
  sku STRING NOT NULL,
  store_id INT NOT NULL,
  on_hand INT,
  on_order INT,
  PRIMARY KEY (sku, store_id)
);
CREATE TABLE reorder_rules (
  sku STRING NOT NULL,
  reorder_point INT NOT NULL,
  lot_size INT,
  supplier STRING,
  PRIMARY KEY (sku)
);
CREATE TABLE stores (
  store_id INT NOT NULL,
  open BOOLEAN,
  region STRING,
  PRIMARY KEY (store_id)
);
