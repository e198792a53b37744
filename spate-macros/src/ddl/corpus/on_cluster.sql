-- reads: id UInt64
-- reads: customer UInt64
-- reads: total Decimal(18, 4)
-- shards by: id customer of cityHash64(customer, `id`)
-- engine: no, it has no cluster
CREATE DATABASE IF NOT EXISTS shop ON CLUSTER '{cluster}';
CREATE TABLE IF NOT EXISTS shop.lines_local UUID '61f0c404-5cb3-11e7-907b-a6006ad3dba0' ON CLUSTER '{cluster}'
(
    id UInt64,
    customer UInt64,
    total Decimal(18, 4)
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', total)
PARTITION BY id % 16
ORDER BY id;

CREATE TABLE shop.lines ON CLUSTER my_cluster AS shop.lines_local
ENGINE = Distributed('{cluster}', 'shop', lines_local, cityHash64(customer, `id`));
