-- fault: 4:23: a text is not closed; write `'` behind it
CREATE TABLE t
(
    id UInt64 COMMENT 'the id,
    name String
)
ENGINE = MergeTree ORDER BY id
