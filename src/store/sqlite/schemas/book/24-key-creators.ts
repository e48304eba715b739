/** The user who created a key; null for operators' commands. The audit log has those of earlier keys. */
export const KEY_CREATORS = `
ALTER TABLE keys ADD COLUMN created_by TEXT;
UPDATE keys SET created_by = audit.actor_id FROM audit
WHERE audit.action = 'key.create' AND audit.actor_kind = 'user' AND audit.target = keys.id;
`
