CREATE TABLE stores (
  store_id INT NOT NULL,
  city STRING,
  opened DATE,
  PRIMARY KEY (store_id)
);
CREATE TABLE sales (
  store_id INT,
  sold_on DATE,
  amount DECIMAL(10,2)
);
CREATE TABLE targets (
  store_id INT NOT NULL,
  target DECIMAL(12,2) NOT NULL,
  PRIMARY KEY (store_id)
);
