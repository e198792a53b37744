-- reads: a DateTime
-- reads: b DateTime('UTC')
-- reads: c DateTime64(3)
-- reads: d DateTime64(6)
-- reads: e DateTime64(6, 'Europe/Berlin')
-- reads: f DateTime
-- reads: g DateTime('UTC')
-- reads: h DateTime
-- reads: i DateTime64(3)
-- reads: j DateTime64(3)
-- reads: k DateTime64(6)
-- reads: l Date
-- reads: m Date32
-- reads: n DateTime64(9)
-- reads: o DateTime64(6, 'UTC')
CREATE TABLE t
(
    a DateTime, b DateTime('UTC'), c DateTime64, d DateTime64(6), e DateTime64(6, 'Europe/Berlin'),
    f DateTime32, g DateTime32('UTC'), h DateTime(0), i DateTime(3), j DATETIME(3), k TIMESTAMP(6),
    l Date, m Date32, n datetime64(9), o DateTime(6, 'UTC')
)
ENGINE = MergeTree ORDER BY tuple()
