import { Database } from "bun:sqlite"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { planNewApi } from "../../../src/cli/import/new-api.ts"
import { NEW_API_CASES, type NewApiRows } from "./new-api-cases.ts"
import { runImport } from "./run-import.ts"

/** Tables with the columns of new-api's models. */
const SCHEMA = `
  CREATE TABLE channels (id integer PRIMARY KEY, type integer, key text, status integer DEFAULT 1, name text,
    weight integer DEFAULT 0, base_url text DEFAULT '', other text DEFAULT '', models text, "group" text DEFAULT 'default',
    model_mapping text, priority integer DEFAULT 0, tag text, param_override text, channel_info text DEFAULT '{}');
  CREATE TABLE users (id integer PRIMARY KEY, username text, email text DEFAULT '', quota integer DEFAULT 0,
    status integer DEFAULT 1, "group" text DEFAULT 'default', deleted_at datetime);
  CREATE TABLE tokens (id integer PRIMARY KEY, user_id integer, key text, status integer DEFAULT 1, name text,
    expired_time integer DEFAULT -1, remain_quota integer DEFAULT 0, unlimited_quota numeric DEFAULT 0,
    model_limits_enabled numeric DEFAULT 0, model_limits text DEFAULT '', allow_ips text DEFAULT '', deleted_at datetime);`

function databaseIn(folder: string, rows: NewApiRows): string {
  const file = join(folder, "one-api.db")
  using database = new Database(file)
  database.run(SCHEMA)
  for (const [table, list] of Object.entries(rows) as [string, NewApiRows["channels"]][]) {
    for (const row of list) {
      const columns = Object.keys(row).map((column) => `"${column}"`)
      const places = columns.map(() => "?")
      database.run(
        `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places.join(", ")})`,
        Object.values(row),
      )
    }
  }
  return file
}

test("the new-api import has ten example configurations", () =>
  expect(NEW_API_CASES).toHaveLength(10))

for (const example of NEW_API_CASES) {
  test(`the new-api import serves the models of ${example.name}`, () =>
    runImport(example, (folder) => planNewApi(databaseIn(folder, example.source), folder)))
}
