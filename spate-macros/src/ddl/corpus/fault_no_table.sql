-- fault: 1:1: the file creates no table; it should hold the table's `CREATE TABLE`
-- engine: no, it has nothing against it
SELECT 1;
CREATE VIEW v AS SELECT 1;
