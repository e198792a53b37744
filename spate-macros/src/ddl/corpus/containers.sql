-- reads: a Array(Nullable(DateTime64(3)))
-- reads: b Map(LowCardinality(String), Array(UInt16))
-- reads: c Tuple(UInt8, String)
-- reads: d Tuple(id UInt64, `a name` String, inner Tuple(x Int8, y Array(Float64)))
-- reads: e LowCardinality(Nullable(String))
-- reads: f LowCardinality(FixedString(3))
-- reads: g Array(Array(UInt8))
-- reads: h.a Array(UInt8)
-- reads: h.b Array(Nested(c String))
-- reads: i Array(Nested(d UInt8))
-- reads: j Tuple(date Date, int Int8, set String)
-- reads: k Map(String, Map(UInt8, Tuple(UInt8)))
CREATE TABLE t
(
    a Array(Nullable(DateTime64(3))),
    b Map(LowCardinality(String), Array(UInt16)),
    c Tuple(UInt8, String),
    d Tuple(id UInt64, `a name` String, inner Tuple(x Int8, y Array(Float64))),
    e LowCardinality(Nullable(String)),
    f LowCardinality(FixedString(3)),
    g Array (Array ( UInt8 )),
    h Nested(a UInt8, b Nested(c String)),
    i Array(Nested(d UInt8)),
    j Tuple(date Date, int Int8, set String),
    k Map(String, Map(UInt8, Tuple(UInt8)))
)
ENGINE = MergeTree ORDER BY tuple()
