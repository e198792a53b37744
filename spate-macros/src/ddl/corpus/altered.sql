-- reads: first UInt8
-- reads: text LowCardinality(String) DEFAULT
-- reads: id UInt64
-- reads: n.x Array(UInt8)
-- reads: n.y Array(String)
-- reads: a UInt16
-- reads: at DateTime DEFAULT
-- reads: d Nullable(UInt64) DEFAULT
-- reads: z UInt8
CREATE TABLE t (id UInt64, a UInt8, b UInt8, c String) ENGINE = MergeTree ORDER BY id;
ALTER TABLE t ADD COLUMN d Nullable(UInt8) AFTER a;
ALTER TABLE t ADD COLUMN IF NOT EXISTS a String, ADD COLUMN first UInt8 DEFAULT 1 FIRST;
ALTER TABLE t DROP COLUMN b, DROP COLUMN IF EXISTS nothing;
ALTER TABLE t RENAME COLUMN c TO text;
ALTER TABLE t MODIFY COLUMN a UInt16;
ALTER TABLE t ADD COLUMN n Nested(x UInt8, y String) AFTER id;
ALTER TABLE t ALTER COLUMN d TYPE Nullable(UInt64);
ALTER TABLE t MODIFY COLUMN text LowCardinality(String) DEFAULT 'x' AFTER first;
ALTER TABLE t MODIFY COLUMN first REMOVE DEFAULT;
ALTER TABLE t MODIFY COLUMN d DEFAULT 7;
ALTER TABLE t COMMENT COLUMN d 'seven', MODIFY SETTING max_parts_in_total = 100;
ALTER TABLE t MODIFY COLUMN a COMMENT 'a', ADD INDEX i a TYPE minmax GRANULARITY 1;
ALTER TABLE t (ADD COLUMN y UInt8), (ADD COLUMN z UInt8 AFTER y);
ALTER TABLE t ADD COLUMN at DateTime DEFAULT now() COMMENT 'after, first' AFTER a;
ALTER TABLE t DROP COLUMN y;
