-- reads: id String
-- table: ddl_b.t
CREATE DATABASE IF NOT EXISTS ddl_a;
CREATE DATABASE IF NOT EXISTS ddl_b;
CREATE OR REPLACE TABLE ddl_a.t (id UInt64) ENGINE = Memory;
CREATE OR REPLACE TABLE ddl_b.t (id String) ENGINE = Memory;
