CREATE TABLE readings (
  sensor_id STRING NOT NULL,
  read_at TIMESTAMP NOT NULL,
  value INT,
  battery DOUBLE
);
CREATE TABLE sensors (
  sensor_id STRING NOT NULL,
  low INT,
  high INT,
  zone STRING,
  PRIMARY KEY (sensor_id)
);
