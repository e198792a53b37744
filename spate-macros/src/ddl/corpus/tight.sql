-- reads: id UInt64
-- reads: name String
-- reads: n UInt8 DEFAULT
-- reads: m Map(String, UInt8)
create table t(id UInt64,name String,`n`UInt8 default 5,m Map(String,UInt8)codec(ZSTD))engine=MergeTree order by(id,name)
