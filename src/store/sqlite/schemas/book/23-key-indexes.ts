/** Keys of one account, and all of them by age, are found without reading all others. */
export const KEY_INDEXES = `
CREATE INDEX keys_by_account ON keys (account, created_at, id);
CREATE INDEX keys_by_time ON keys (created_at, id);
`
