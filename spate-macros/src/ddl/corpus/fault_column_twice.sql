-- fault: 2:41: column `id` is there twice; remove one of them
CREATE TABLE t (id UInt64, name String, id UInt8) ENGINE = MergeTree ORDER BY id
