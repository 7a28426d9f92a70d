CREATE TABLE bom (
  parent_id STRING NOT NULL,
  component_id STRING NOT NULL,
  qty DECIMAL(10,3) NOT NULL,
  scrap_factor DECIMAL(5,4),
  PRIMARY KEY (parent_id, component_id)
);

CREATE TABLE products (
  product_id STRING NOT NULL,
  product_name STRING,
  family STRING,
  std_cost DECIMAL(10,4),
  ideal_rate_per_hour INT,
  PRIMARY KEY (product_id)
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
