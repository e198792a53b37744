-- fault: 2:43: `UInt8` is not expected behind the type; is a comma missing before it?
CREATE TABLE t (id UInt64, m Array(String UInt8)) ENGINE = MergeTree ORDER BY id
