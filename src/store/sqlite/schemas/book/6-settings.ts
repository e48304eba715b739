/** What the console has set, and how often it changed. */
export const SETTINGS = `
CREATE TABLE console_settings (
  section TEXT NOT NULL,
  id TEXT NOT NULL,
  body TEXT NOT NULL,
  sealed TEXT,
  revision INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (section, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE settings_revision (number INTEGER NOT NULL) STRICT;
INSERT INTO settings_revision VALUES (0);
`
