-- reads: a Enum8('placed' = 1, 'refunded' = 2)
-- reads: b Enum8('x' = 1, 'y' = 2)
-- reads: c Enum16('x' = 300)
-- reads: d Enum8('a' = 1, 'b' = 7)
-- reads: e Enum16('a' = 1, 'b' = 2, 'c' = 3)
-- reads: f Enum8('a\'b' = -1, 'c\'d' = 4, 'e, (f' = 5)
-- reads: g Enum8('a' = 5, 'b' = 6)
-- reads: h Nullable(Enum8('a' = -128, 'b' = 127))
-- reads: i Enum8('a' = 1, 'b' = 2)
CREATE TABLE t
(
    a Enum8('placed' = 1, 'refunded' = 2),
    b Enum('x', 'y'),
    c Enum('x' = 300),
    d Enum8('a' = 1, 'b' = 7),
    e Enum16('a', 'b', 'c'),
    f Enum8('a\'b' = -1, 'c''d' = 4, 'e, (f' = 5),
    g Enum8('a' = 5, 'b'),
    h Nullable(Enum8('a' = -128, 'b' = 127)),
    i ENUM('a', 'b')
)
ENGINE = MergeTree ORDER BY a
