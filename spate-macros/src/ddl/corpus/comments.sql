-- reads: id UInt64
-- reads: name String
-- reads: note String
/* A header /* with a comment inside */ that goes on */
CREATE TABLE /* here */ t -- the table, (which has
( # a hash
    id /* ; not an end */ UInt64, -- first, second
    name String // a slash
    ,
    #! a bang
    note String COMMENT 'it''s -- no comment, (nor a bracket'
)
ENGINE = MergeTree ORDER BY id
