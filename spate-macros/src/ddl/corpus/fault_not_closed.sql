-- fault: 3:1: the columns of `t` are not closed; write `)` behind the last one
CREATE TABLE t
(
    id UInt64,
    name LowCardinality(String
ENGINE = MergeTree ORDER BY id
