-- reads: Timestamp DateTime64(9)
-- reads: TraceId String
-- reads: Duration UInt64
-- reads: Events.Timestamp Array(DateTime64(9))
-- reads: Events.Name Array(LowCardinality(String))
-- reads: Events.Attributes Array(Map(LowCardinality(String), String))
-- reads: Links.TraceId Array(String)
-- reads: Links.SpanId Array(String)
CREATE TABLE otel_traces
(
    Timestamp DateTime64(9) CODEC(Delta, ZSTD(1)),
    TraceId String CODEC(ZSTD(1)),
    Duration UInt64 CODEC(ZSTD(1)),
    Events Nested (
        Timestamp DateTime64(9),
        Name LowCardinality(String),
        Attributes Map(LowCardinality(String), String)
    ) CODEC(ZSTD(1)),
    Links Nested (TraceId String, SpanId String) CODEC(ZSTD(1)),
    INDEX idx_duration Duration TYPE minmax GRANULARITY 1
) ENGINE MergeTree()
ORDER BY (toDateTime(Timestamp), TraceId);
