-- name: effect_claim
INSERT INTO effects (key, kind) VALUES (?, ?) ON CONFLICT (key) DO NOTHING;
