-- fault: 2:33: `b` = 128 is out of the range of `Enum8`, -128 to 127; use a smaller number, or `Enum16`
CREATE TABLE t (id UInt64, kind Enum8('a' = 1, 'b' = 128)) ENGINE = MergeTree ORDER BY id
