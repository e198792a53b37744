-- fault: 2:48: `Enum8` has the number 1 twice: `a` and `b`; give every name its own number
CREATE TABLE t (id UInt64, kind Enum8('a' = 1, 'b' = 1)) ENGINE = MergeTree ORDER BY id
