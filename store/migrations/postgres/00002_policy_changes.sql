-- +goose Up
-- A proposal about dw's own policy belongs to no incident: its incident is NULL.

ALTER TABLE proposals ALTER COLUMN incident DROP NOT NULL;
