-- reads: a Nullable(UInt8)
-- reads: b UInt8
-- reads: c Nullable(UInt8) DEFAULT
-- reads: d Nullable(UInt8) DEFAULT
-- reads: e UInt8 DEFAULT
-- reads: f Nullable(UInt8) DEFAULT
-- reads: g UInt8 DEFAULT
-- reads: h UInt8 DEFAULT
-- reads: i Nullable(UInt8) DEFAULT
-- reads: j Nullable(UInt8) DEFAULT
CREATE TABLE t
(
    a UInt8 NULL,
    b UInt8 NOT NULL,
    c UInt8 NULL DEFAULT 5,
    d UInt8 DEFAULT 5 NULL,
    e UInt8 DEFAULT 5 NOT NULL,
    f UInt8 DEFAULT NULL,
    g UInt8 DEFAULT 1 IS NULL,
    h UInt8 DEFAULT 1 IS NOT NULL,
    i UInt8 DEFAULT if(a > 1, 2, 3) NULL COMMENT 'x',
    j Nullable(UInt8) DEFAULT NULL CODEC(ZSTD)
)
ENGINE = MergeTree ORDER BY tuple()
