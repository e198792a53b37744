-- fault: 5:5: `name` is not expected behind the type of column `id`; is a comma missing before it?
CREATE TABLE t
(
    id UInt64
    name String
)
ENGINE = MergeTree ORDER BY id
