CREATE TABLE `data/impressions.parquet` (
  impression_id BIGINT NOT NULL,
  campaign_id INT NOT NULL,
  device STRING,
  placement STRING,
  cost_micros BIGINT,
  shown_on DATE,
  PRIMARY KEY (impression_id)
);
CREATE TABLE `data/clicks.parquet` (
  click_id BIGINT NOT NULL,
  impression_id BIGINT,
  is_valid BOOLEAN,
  PRIMARY KEY (click_id)
);
