CREATE TABLE `data/heartbeats.csv` (
  device_id STRING,
  firmware STRING,
  beat_date DATE,
  uptime_s INT
);
CREATE TABLE devices (
  device_id STRING NOT NULL,
  model STRING,
  owner STRING,
  PRIMARY KEY (device_id)
);
