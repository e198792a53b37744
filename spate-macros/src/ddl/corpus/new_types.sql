-- reads: a Variant(String, UInt8)
-- reads: b Dynamic
-- reads: c Dynamic(max_types=3)
-- reads: d JSON
-- reads: e Time
-- reads: f Time64(6)
-- reads: g IPv4
-- reads: h IPv6
-- reads: i UUID
-- reads: j BFloat16
-- reads: k Point
-- reads: l Ring
-- reads: m MultiPolygon
-- reads: n Int128
-- reads: o UInt256
-- reads: p IntervalDay
CREATE TABLE t
(
    a Variant(String, UInt8), b Dynamic, c Dynamic(max_types = 3),
    d JSON, e Time, f Time64(6), g IPv4, h IPv6, i UUID, j BFloat16, k Point, l Ring, m MultiPolygon,
    n Int128, o UInt256, p IntervalDay
)
ENGINE = MergeTree ORDER BY tuple()
