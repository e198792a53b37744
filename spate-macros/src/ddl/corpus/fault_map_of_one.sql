-- fault: 2:30: `Map` takes two types; write it as in `Map(String, UInt64)`, `Array(UInt64)`
CREATE TABLE t (id UInt64, m Map(String)) ENGINE = MergeTree ORDER BY id
