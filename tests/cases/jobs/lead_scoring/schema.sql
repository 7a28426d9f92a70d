CREATE TABLE `data/leads.parquet` (
  lead_id BIGINT NOT NULL,
  company STRING,
  status STRING,
  employees INT,
  country STRING,
  created_at TIMESTAMP,
  PRIMARY KEY (lead_id)
);
CREATE TABLE `data/touches.parquet` (
  lead_id BIGINT,
  channel STRING,
  touched_at TIMESTAMP
);
