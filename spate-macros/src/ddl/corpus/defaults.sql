-- reads: id UInt64
-- reads: at DateTime DEFAULT
-- reads: day Date MATERIALIZED
-- reads: twice UInt64 ALIAS
-- reads: raw String EPHEMERAL
-- reads: other UInt8 EPHEMERAL
-- reads: len UInt64 DEFAULT
-- reads: guessed ? DEFAULT
-- reads: text String DEFAULT
-- reads: listed UInt8 DEFAULT
-- reads: doc String DEFAULT
-- reads: tagged String DEFAULT
-- reads: gone Nullable(UInt8) DEFAULT
CREATE TABLE t
(
    id UInt64,
    at DateTime DEFAULT now(),
    day Date MATERIALIZED toDate(at) CODEC(NONE),
    twice UInt64 ALIAS id * 2 COMMENT 'id, doubled',
    raw String EPHEMERAL,
    other UInt8 EPHEMERAL 5 COMMENT 'x',
    len UInt64 DEFAULT length(raw),
    guessed DEFAULT toUInt32(5),
    text String DEFAULT 'a,b) -- c',
    listed UInt8 DEFAULT id IN (1, 2),
    doc String DEFAULT $$it's, (here)$$,
    tagged String DEFAULT $x$a $$ b, $x$,
    gone Nullable(UInt8) DEFAULT NULL
)
ENGINE = MergeTree
ORDER BY id
