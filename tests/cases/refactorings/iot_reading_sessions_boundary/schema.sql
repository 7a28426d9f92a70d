CREATE TABLE readings (
  device_id STRING NOT NULL,
  metric STRING NOT NULL,
  ts TIMESTAMP NOT NULL,
  value DECIMAL(10,3),
  quality INT,
  PRIMARY KEY (device_id, metric, ts)
);
