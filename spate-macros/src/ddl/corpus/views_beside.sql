-- reads: id UInt64
-- reads: kind LowCardinality(String)
-- reads: at DateTime
SET allow_experimental_analyzer = 1;
CREATE TABLE events (id UInt64, kind LowCardinality(String), at DateTime) ENGINE = MergeTree ORDER BY id;
CREATE VIEW recent AS SELECT * FROM events WHERE at > now() - 3600;
CREATE MATERIALIZED VIEW per_kind
(
    kind LowCardinality(String),
    n AggregateFunction(count)
)
ENGINE = AggregatingMergeTree ORDER BY kind
AS SELECT kind, countState() AS n FROM events GROUP BY kind;
INSERT INTO events VALUES (1, 'a;b', now());
