-- reads: id UInt64
-- reads: x LowCardinality(String) DEFAULT
-- table: copy
CREATE TABLE first (id UInt64, x LowCardinality(String) DEFAULT 'x') ENGINE = MergeTree ORDER BY id;
CREATE TABLE copy AS first ENGINE = MergeTree ORDER BY id;
