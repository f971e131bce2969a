-- +goose Up
-- The free texts whose salted hashes stand in receipts. A row is deleted when
-- somebody's words must go; the receipt and the chain stay as they are.

CREATE TABLE receipt_texts (
    seq   INTEGER NOT NULL,
    field TEXT NOT NULL,
    salt  BLOB NOT NULL CHECK (length(salt) = 32),
    text  BLOB NOT NULL,
    PRIMARY KEY (seq, field)
) STRICT;

-- +goose StatementBegin
CREATE TRIGGER receipt_texts_refuse_update BEFORE UPDATE ON receipt_texts
BEGIN
    SELECT RAISE(ABORT, 'texts of receipts are deleted or kept: update refused');
END;
-- +goose StatementEnd
