CREATE TABLE production_counts (
  wo_id BIGINT NOT NULL,
  shift_date DATE NOT NULL,
  shift STRING NOT NULL,
  good_qty INT,
  scrap_qty INT,
  run_minutes INT,
  PRIMARY KEY (wo_id, shift_date, shift)
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
