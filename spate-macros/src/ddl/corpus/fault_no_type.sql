-- fault: 2:28: column `name` has no type; write it as `name Type`, with a comma behind it
CREATE TABLE t (id UInt64, name, more String) ENGINE = MergeTree ORDER BY id
