-- fault: 3:40: there is no column `ids` to stand behind; correct its name
CREATE TABLE a (id UInt64) ENGINE = MergeTree ORDER BY id;
ALTER TABLE a ADD COLUMN b UInt8 AFTER ids;
