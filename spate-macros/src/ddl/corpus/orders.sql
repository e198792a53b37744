-- reads: order_id UInt64
-- reads: customer LowCardinality(String)
-- reads: total_cents UInt64
-- The window lets the server drop a batch that is sent twice.
CREATE TABLE order_lines (
    order_id UInt64,
    customer LowCardinality(String),
    total_cents UInt64
)
ENGINE = MergeTree
ORDER BY order_id
SETTINGS non_replicated_deduplication_window = 10000
