CREATE TABLE supplier_feed (
  line_id BIGINT NOT NULL,
  supplier STRING,
  sku STRING,
  qty_text STRING,
  pack STRING,
  grade STRING,
  received DATE,
  PRIMARY KEY (line_id)
);
