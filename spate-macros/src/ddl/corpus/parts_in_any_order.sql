-- reads: id UInt64
-- reads: name String
-- reads: at DateTime
-- reads: amount UInt64
CREATE TABLE t
(
    PRIMARY KEY (id),
    INDEX by_name name TYPE minmax GRANULARITY 4,
    id UInt64,
    CONSTRAINT positive CHECK id > 0 AND name != ',',
    name String CODEC(ZSTD(3)) TTL at + INTERVAL 1 DAY,
    PROJECTION per_name (SELECT name, count() GROUP BY name),
    at DateTime,
    CONSTRAINT assumed ASSUME length(name) < 100,
    amount UInt64 STATISTICS(tdigest, minmax),
)
ENGINE = MergeTree ORDER BY (id, at) PARTITION BY toYYYYMM(at) TTL at + INTERVAL 1 MONTH DELETE, at + INTERVAL 1 WEEK RECOMPRESS CODEC(ZSTD(9)) SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1 COMMENT 'a; table'
