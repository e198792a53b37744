-- reads: id UInt64
-- reads: text String
-- reads: more String DEFAULT
CREATE TABLE t
(
    id UInt64 COMMENT 'the id' CODEC(Delta, LZ4) SETTINGS (max_compress_block_size = 65536),
    text String COLLATE utf8_bin,
    more String DEFAULT 'x' COMMENT 'more' CODEC(ZSTD(1)) STATISTICS(uniq)
)
ENGINE = MergeTree ORDER BY id
