-- fault: 2:18: a comment is not closed; write `*/`
CREATE TABLE t ( /* the columns
    id UInt64 /* nested */
)
ENGINE = MergeTree ORDER BY id
