-- fault: 4:14: the file creates several tables: `a`, `b`; say which one the row is for: `table = "a"`
-- engine: no, it has nothing against it
CREATE TABLE a (id UInt64) ENGINE = Memory;
CREATE TABLE b (id UInt64) ENGINE = Memory;
