-- reads: order id UInt64
-- reads: total; cents Int64
-- reads: a`b UInt8
-- reads: c`d UInt8
-- reads: e"f UInt8
-- reads: x.y Array(UInt8)
-- reads: ns:attr String
-- reads: mA UInt8
-- reads: index UInt8
CREATE TABLE `my-table`
(
    `order id` UInt64,
    "total; cents" Int64,
    `a``b` UInt8,
    `c\`d` UInt8,
    "e""f" UInt8,
    `x.y` Array(UInt8),
    `ns:attr` String,
    `m\x41` UInt8,
    `index` UInt8
)
ENGINE = MergeTree ORDER BY `order id`
