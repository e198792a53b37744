-- reads: id UInt64
-- reads: name String
-- engine: no, such a table lives in a session
CREATE TEMPORARY TABLE scratch (id UInt64, name String) ENGINE = Memory
