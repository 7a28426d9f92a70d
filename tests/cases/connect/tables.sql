CREATE TABLE people (
  id BIGINT NOT NULL,
  name STRING,
  age INT,
  city STRING,
  score DOUBLE,
  active BOOLEAN,
  born DATE,
  PRIMARY KEY (id)
);
CREATE TABLE orders (
  order_id BIGINT NOT NULL,
  person_id BIGINT,
  amount DECIMAL(10,2),
  quantity INT NOT NULL,
  day DATE,
  placed TIMESTAMP,
  status STRING,
  tags ARRAY<STRING>
);
CREATE TABLE events (
  id BIGINT,
  person_id BIGINT,
  kind STRING NOT NULL,
  at TIMESTAMP,
  value DOUBLE,
  props MAP<STRING, STRING>,
  place STRUCT<city: STRING, lat: DOUBLE, lon: DOUBLE>,
  items ARRAY<STRUCT<sku: STRING, n: INT>>
);
CREATE TABLE cities (
  city STRING NOT NULL,
  country STRING,
  population BIGINT,
  founded INT
);
CREATE TABLE sales (
  region STRING,
  product STRING,
  year INT,
  quarter INT,
  units INT,
  price DECIMAL(8,2),
  cost FLOAT,
  ok BOOLEAN
);
CREATE TABLE numbers (
  b TINYINT,
  s SMALLINT,
  i INT NOT NULL,
  l BIGINT,
  f FLOAT,
  d DOUBLE,
  m DECIMAL(12,3),
  t STRING,
  x BINARY,
  ts TIMESTAMP,
  tn TIMESTAMP_NTZ,
  dt DATE
);
