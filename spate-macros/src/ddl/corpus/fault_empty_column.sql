-- fault: 2:27: a column is missing before this comma; write it as `name Type`, with a comma behind it
CREATE TABLE t (id UInt64,, more String) ENGINE = MergeTree ORDER BY id
