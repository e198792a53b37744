-- fault: 3:15: column `ids` is changed, but there is none; correct its name
CREATE TABLE a (id UInt64) ENGINE = MergeTree ORDER BY id;
ALTER TABLE a MODIFY COLUMN ids UInt32;
