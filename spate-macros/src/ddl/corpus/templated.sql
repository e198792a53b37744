-- reads: id UInt64
-- engine: no, a tool fills the names in first
CREATE TABLE {db:Identifier}.lines ON CLUSTER {cluster:Identifier}
(
    id UInt64
)
ENGINE = MergeTree ORDER BY id
