import type { Schema } from "../migrate.ts"

const CONTENTS = `
CREATE TABLE contents (
  request TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  at INTEGER NOT NULL,
  asked TEXT NOT NULL,
  answered TEXT
) STRICT;
CREATE INDEX contents_by_time ON contents (at);
`

/** Prompts and responses of accounts that store them, in `contents.db`. */
export const CONTENTS_SCHEMA: Schema = { file: "contents.db", steps: [CONTENTS] }
