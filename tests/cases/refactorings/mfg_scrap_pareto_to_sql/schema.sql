CREATE TABLE scrap_log (
  scrap_id BIGINT NOT NULL,
  wo_id BIGINT,
  reason_code STRING,
  qty INT,
  logged_at TIMESTAMP NOT NULL,
  PRIMARY KEY (scrap_id)
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
