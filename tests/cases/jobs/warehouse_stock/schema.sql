CREATE TABLE `data/stock.parquet` (
  sku STRING NOT NULL,
  warehouse STRING NOT NULL,
  quantity INT,
  counted_on DATE
);
CREATE TABLE `data/products.parquet` (
  sku STRING NOT NULL,
  title STRING,
  unit_cost DECIMAL(8,2),
  discontinued BOOLEAN,
  PRIMARY KEY (sku)
);
CREATE TABLE `data/warehouses.parquet` (
  warehouse STRING NOT NULL,
  region STRING,
  PRIMARY KEY (warehouse)
);
