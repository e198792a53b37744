-- reads: id UInt64
-- reads: name String
-- engine: no, it would run both parts
-- +goose Up
-- +goose StatementBegin
CREATE TABLE lines (id UInt64) ENGINE = MergeTree ORDER BY id;
ALTER TABLE lines ADD COLUMN name String;
-- +goose StatementEnd

-- +goose Down
DROP TABLE lines;
