-- reads: Timestamp DateTime64(9)
-- reads: TimestampDate Date DEFAULT
-- reads: TraceId String
-- reads: SpanId String
-- reads: TraceFlags UInt8
-- reads: SeverityText LowCardinality(String)
-- reads: SeverityNumber UInt8
-- reads: Body String
-- reads: ResourceAttributes Map(LowCardinality(String), String)
-- reads: LogAttributes Map(LowCardinality(String), String)
CREATE TABLE otel_logs
(
    `Timestamp` DateTime64(9) CODEC(Delta(8), ZSTD(1)),
    `TimestampDate` Date DEFAULT toDate(Timestamp),
    `TraceId` String CODEC(ZSTD(1)),
    `SpanId` String CODEC(ZSTD(1)),
    `TraceFlags` UInt8,
    `SeverityText` LowCardinality(String) CODEC(ZSTD(1)),
    `SeverityNumber` UInt8,
    `Body` String CODEC(ZSTD(1)),
    `ResourceAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    `LogAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX idx_res_attr_key mapKeys(ResourceAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX idx_body Body TYPE tokenbf_v1(32768, 3, 0) GRANULARITY 8
)
ENGINE = MergeTree
PARTITION BY TimestampDate
ORDER BY (SeverityText, Timestamp)
TTL TimestampDate + toIntervalDay(180)
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1
