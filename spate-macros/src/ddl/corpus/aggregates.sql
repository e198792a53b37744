-- reads: day Date
-- reads: shop LowCardinality(String)
-- reads: orders SimpleAggregateFunction(sum, UInt64)
-- reads: last SimpleAggregateFunction(anyLast, Nullable(String))
-- reads: tags SimpleAggregateFunction(groupArrayArray, Array(String))
-- reads: buyers AggregateFunction(uniq, UInt64)
-- reads: spread AggregateFunction(quantiles(0.5, 0.9), UInt64)
-- reads: total AggregateFunction(sum, Decimal(18, 4))
CREATE TABLE daily
(
    day Date,
    shop LowCardinality(String),
    orders SimpleAggregateFunction(sum, UInt64),
    last SimpleAggregateFunction(anyLast, Nullable(String)),
    tags SimpleAggregateFunction(groupArrayArray, Array(String)),
    buyers AggregateFunction(uniq, UInt64),
    spread AggregateFunction(quantiles(0.5, 0.9), UInt64),
    total AggregateFunction(sum, Decimal(18, 4))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (shop, day)
