CREATE TABLE inspections (
  inspection_id BIGINT NOT NULL,
  wo_id BIGINT NOT NULL,
  serial_no STRING,
  inspected_at TIMESTAMP NOT NULL,
  characteristic STRING,
  measured DECIMAL(10,4),
  result STRING,
  PRIMARY KEY (inspection_id)
);

CREATE TABLE work_orders (
  wo_id BIGINT NOT NULL,
  product_id STRING NOT NULL,
  line_id STRING,
  planned_qty INT NOT NULL,
  released_at TIMESTAMP,
  due_date DATE,
  status STRING,
  PRIMARY KEY (wo_id)
);

CREATE TABLE products (
  product_id STRING NOT NULL,
  product_name STRING,
  family STRING,
  std_cost DECIMAL(10,4),
  ideal_rate_per_hour INT,
  PRIMARY KEY (product_id)
);
