-- reads: a Decimal(18, 4)
-- reads: b Decimal(10, 2)
-- reads: c Decimal(10, 0)
-- reads: d Decimal(10, 0)
-- reads: e Decimal(5, 0)
-- reads: f Decimal(9, 3)
-- reads: g Decimal(18, 5)
-- reads: h Decimal(38, 9)
-- reads: i Decimal(76, 9)
-- reads: j Decimal(4, 2)
-- reads: k Decimal(4, 0)
CREATE TABLE t
(
    a Decimal(18, 4), b DECIMAL(10,2), c DECIMAL(10), d DECIMAL, e NUMERIC(5), f Decimal32(3),
    g Decimal64(5), h Decimal128(9), i Decimal256(9), j dec(4 , 2), k FIXED(4)
)
ENGINE = MergeTree ORDER BY tuple()
