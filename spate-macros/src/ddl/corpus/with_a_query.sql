-- reads: id UInt64
-- reads: n UInt8
CREATE TABLE t (id UInt64, n UInt8) ENGINE = MergeTree ORDER BY id AS SELECT number AS id, 1 AS n FROM numbers(3)
