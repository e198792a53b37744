-- reads: id UInt64
-- engine: no, it has no cluster
CREATE TABLE shop.lines ON CLUSTER '{cluster}'
(
    id UInt64
)
ENGINE = Distributed('{cluster}', currentDatabase(), lines_local, rand());
