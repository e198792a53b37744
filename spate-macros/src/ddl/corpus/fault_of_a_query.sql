-- fault: 3:14: the columns of `t` are those of a query; write the columns out, `(name Type, ..)`, so that the row can be held against them
-- engine: no, it runs the query
CREATE TABLE t ENGINE = MergeTree ORDER BY id AS SELECT number AS id FROM numbers(3)
