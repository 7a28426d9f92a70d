CREATE TABLE purchases (
  purchase_id BIGINT NOT NULL,
  player_id BIGINT NOT NULL,
  item_id BIGINT,
  purchased_at TIMESTAMP NOT NULL,
  quantity INT NOT NULL,
  amount DECIMAL(10,2),
  status STRING,
  PRIMARY KEY (purchase_id)
);

CREATE TABLE items (
  item_id BIGINT NOT NULL,
  item_name STRING,
  category STRING,
  rarity STRING,
  PRIMARY KEY (item_id)
);

CREATE TABLE item_prices (
  item_id BIGINT NOT NULL,
  price_from TIMESTAMP NOT NULL,
  price_to TIMESTAMP,
  list_price DECIMAL(10,2) NOT NULL,
  PRIMARY KEY (item_id, price_from)
);

CREATE TABLE players (
  player_id BIGINT NOT NULL,
  handle STRING NOT NULL,
  country STRING,
  signup_date DATE NOT NULL,
  guild_id BIGINT,
  referrer_id BIGINT,
  PRIMARY KEY (player_id)
);
