-- reads: kind String
-- reads: n UInt64
-- table: per_kind
CREATE TABLE events (id UInt64, kind String) ENGINE = Null;
CREATE TABLE per_kind (kind String, n UInt64) ENGINE = SummingMergeTree ORDER BY kind;
CREATE MATERIALIZED VIEW per_kind_mv TO per_kind AS SELECT kind, count() AS n FROM events GROUP BY kind;
