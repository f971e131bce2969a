-- +goose Up
-- The free texts whose salted hashes stand in receipts. A row is deleted when
-- somebody's words must go; the receipt and the chain stay as they are.

CREATE TABLE receipt_texts (
    seq   BIGINT NOT NULL,
    field TEXT COLLATE "C" NOT NULL,
    salt  BYTEA NOT NULL CHECK (octet_length(salt) = 32),
    text  BYTEA NOT NULL,
    PRIMARY KEY (seq, field)
);

-- +goose StatementBegin
CREATE FUNCTION receipt_texts_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'texts of receipts are deleted or kept: update refused';
END;
$$;
-- +goose StatementEnd

CREATE TRIGGER receipt_texts_refuse_update BEFORE UPDATE ON receipt_texts
    FOR EACH ROW EXECUTE FUNCTION receipt_texts_refuse();
