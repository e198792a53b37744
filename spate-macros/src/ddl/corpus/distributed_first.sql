-- reads: id UInt64
-- shards by: id of id
-- engine: no, it has no cluster
CREATE TABLE all_lines (id UInt64) ENGINE = Distributed(main, '', lines, id);
CREATE TABLE lines (id UInt64) ENGINE = MergeTree ORDER BY id;
