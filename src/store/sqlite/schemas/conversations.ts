import type { Schema } from "../migrate.ts"

/** The account of the row with the total over all accounts. No real account has this id. */
export const ALL_ACCOUNTS = ""

const PARTS = `
CREATE TABLE parts (
  hash TEXT PRIMARY KEY,
  response TEXT NOT NULL,
  account TEXT NOT NULL,
  at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  encrypted BLOB NOT NULL
) STRICT;
CREATE INDEX parts_by_response ON parts (response);
CREATE INDEX parts_by_account ON parts (account, at);
CREATE INDEX parts_by_time ON parts (at);
CREATE INDEX parts_by_expiry ON parts (expires_at);
CREATE TABLE sizes (account TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
CREATE INDEX sizes_by_bytes ON sizes (bytes);
CREATE TRIGGER parts_kept AFTER INSERT ON parts BEGIN
  INSERT INTO sizes VALUES (new.account, new.bytes), ('${ALL_ACCOUNTS}', new.bytes)
    ON CONFLICT (account) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER parts_deleted AFTER DELETE ON parts BEGIN
  UPDATE sizes SET bytes = bytes - old.bytes WHERE account IN (old.account, '${ALL_ACCOUNTS}');
  DELETE FROM sizes WHERE account = old.account AND bytes <= 0;
END;
`

/** Stored conversations, in `conversations.db`. */
export const CONVERSATIONS_SCHEMA: Schema = { file: "conversations.db", steps: [PARTS] }
