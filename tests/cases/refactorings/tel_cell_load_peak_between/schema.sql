CREATE TABLE cdrs (
  cdr_id BIGINT NOT NULL,
  msisdn STRING,
  peer STRING,
  call_type STRING,
  started_at TIMESTAMP NOT NULL,
  duration_sec INT,
  cell_id STRING,
  charge DECIMAL(8,4),
  PRIMARY KEY (cdr_id)
);

CREATE TABLE cells (
  cell_id STRING NOT NULL,
  site_id STRING,
  region STRING,
  technology STRING,
  PRIMARY KEY (cell_id)
);
