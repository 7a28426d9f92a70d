CREATE TABLE catalog (
  sku STRING NOT NULL,
  title STRING,
  tags ARRAY<STRING>,
  attrs MAP<STRING, STRING>,
  price STRUCT<net: DECIMAL(10,2), currency: STRING>,
  PRIMARY KEY (sku)
);
