-- reads: id UInt64
-- reads: more String
-- reads: last UInt8
USE default;
CREATE TABLE draft (id UInt32) ENGINE = MergeTree ORDER BY id;
CREATE TABLE IF NOT EXISTS draft (id String) ENGINE = MergeTree ORDER BY id;
DROP TABLE IF EXISTS old;
CREATE TABLE next (id UInt64, more String) ENGINE = MergeTree ORDER BY id;
EXCHANGE TABLES draft AND next;
DROP TABLE next;
RENAME TABLE draft TO lines;
CREATE OR REPLACE TABLE lines (id UInt64, more String, last UInt8) ENGINE = MergeTree ORDER BY id;
