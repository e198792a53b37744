-- fault: 3:14: table `a` is created a second time; remove one of them, or put `DROP TABLE` between them
CREATE TABLE a (id UInt64) ENGINE = Memory;
CREATE TABLE a (id UInt64, more String) ENGINE = Memory;
