-- name: effect_claim
INSERT INTO effects (key, kind) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING;
