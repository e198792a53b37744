-- reads: ttl UInt64
-- reads: codec String
-- reads: comment UInt8
-- reads: default UInt8
-- reads: null UInt8
-- reads: engine UInt8
-- reads: alias UInt8
-- reads: primary UInt8
-- reads: materialized Date
-- reads: date Date
-- reads: type String
-- reads: key UInt8
CREATE TABLE t
(
    ttl UInt64, codec String, comment UInt8, default UInt8, null UInt8, engine UInt8,
    alias UInt8, primary UInt8, materialized Date, date Date, type String, key UInt8
)
ENGINE = Memory
