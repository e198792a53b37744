-- reads: a Int32
-- reads: b UInt64
-- reads: c Float64
-- reads: d String
-- reads: e Int32
-- reads: f Int32
-- reads: g UInt8
-- reads: h Bool
-- reads: i Float32
-- reads: j String
-- reads: k DateTime
-- reads: l Date
-- reads: m DateTime
-- reads: n String
-- reads: o FixedString(4)
-- reads: p String
-- reads: q Float32
-- reads: r String
-- reads: s String
-- reads: t IPv4
-- reads: u Bool
-- reads: v Int16
-- reads: w UInt32
-- reads: x String
-- reads: y UInt16
-- reads: z Int8
-- reads: aa Int64
-- reads: ab UInt64
-- reads: ac UInt64
-- reads: ad Int8
-- reads: ae Float32
-- reads: af IPv6
CREATE TABLE t
(
    a INT, b BIGINT UNSIGNED, c DOUBLE PRECISION, d VARCHAR(255), e INTEGER SIGNED,
    f INT(11), g TINYINT UNSIGNED, h BOOLEAN, i REAL, j TEXT, k DATETIME, l DATE,
    m TIMESTAMP, n CHAR VARYING(3), o BINARY(4), p NATIONAL CHAR VARYING(5), q FLOAT(8),
    r BLOB, s CHARACTER LARGE OBJECT, t INET4, u bool, v SMALLINT, w MEDIUMINT UNSIGNED,
    x String(5), y YEAR, z BYTE, aa SIGNED, ab UNSIGNED, ac BIT, ad INT1, ae SINGLE, af inet6
)
ENGINE = MergeTree ORDER BY tuple()
