-- fault: 2:14: the columns of `t` are those of `elsewhere.lines`, which this file does not create; write the columns out, `(name Type, ..)`, so that the row can be held against them
CREATE TABLE t AS elsewhere.lines ENGINE = MergeTree ORDER BY id
