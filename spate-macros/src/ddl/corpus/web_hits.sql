-- reads: WatchID UInt64
-- reads: JavaEnable UInt8
-- reads: Title String
-- reads: GoodEvent Int16
-- reads: EventTime DateTime('Europe/Berlin')
-- reads: EventDate Date DEFAULT
-- reads: CounterID UInt32
-- reads: ClientIP UInt32
-- reads: ClientIP6 FixedString(16)
-- reads: RegionID UInt32
-- reads: UserID UInt64
-- reads: URLCategories Array(UInt16)
-- reads: ResolutionWidth UInt16
-- reads: ParsedParams.Key1 Array(String)
-- reads: ParsedParams.Key2 Array(String)
-- reads: ParsedParams.ValueDouble Array(Float64)
-- reads: Params Array(String)
-- reads: GoalsReached Array(UInt32)
-- reads: IsRobot UInt8
CREATE TABLE IF NOT EXISTS web_hits
(
    `WatchID` UInt64,
    `JavaEnable` UInt8,
    `Title` String,
    `GoodEvent` Int16,
    `EventTime` DateTime('Europe/Berlin'),
    `EventDate` Date DEFAULT toDate(EventTime),
    `CounterID` UInt32,
    `ClientIP` UInt32,
    `ClientIP6` FixedString(16),
    `RegionID` UInt32,
    `UserID` UInt64,
    `URLCategories` Array(UInt16),
    `ResolutionWidth` UInt16,
    `ParsedParams` Nested(
        Key1 String,
        Key2 String,
        ValueDouble Float64),
    `Params` Array(String),
    `GoalsReached` Array(UInt32),
    `IsRobot` UInt8
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(EventDate)
PRIMARY KEY (CounterID, EventDate, intHash32(UserID))
ORDER BY (CounterID, EventDate, intHash32(UserID))
SAMPLE BY intHash32(UserID)
SETTINGS index_granularity = 8192;
