-- The window lets the server drop a batch that is sent twice.
CREATE TABLE refunds (
    order_id UInt64,
    customer LowCardinality(String),
    refund_cents UInt64
)
ENGINE = MergeTree
ORDER BY order_id
SETTINGS non_replicated_deduplication_window = 10000
