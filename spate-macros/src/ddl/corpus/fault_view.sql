-- fault: 1:1: `recent` is a view, not a table; it creates `a`
-- engine: no, it has nothing against it
-- table: recent
CREATE TABLE a (id UInt64) ENGINE = Memory;
CREATE VIEW recent AS SELECT * FROM a;
