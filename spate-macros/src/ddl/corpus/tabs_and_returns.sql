-- reads: id UInt64
-- reads: name String
CREATE TABLE t
(
	id	UInt64,
	-- grüße, €
	name	String COMMENT '€, (ü'
)
ENGINE = MergeTree
ORDER BY id
