CREATE TABLE readings (
  device_id STRING NOT NULL,
  metric STRING NOT NULL,
  ts TIMESTAMP NOT NULL,
  value DECIMAL(10,3),
  quality INT,
  PRIMARY KEY (device_id, metric, ts)
);

CREATE TABLE devices (
  device_id STRING NOT NULL,
  site_id INT,
  model STRING,
  firmware STRING,
  installed_on DATE,
  PRIMARY KEY (device_id)
);
