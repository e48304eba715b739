import { Database } from "bun:sqlite"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PostgresClient } from "../../src/store/postgres/client.ts"
import { migrate } from "../../src/store/postgres/migrate.ts"
import { SCHEMA } from "../../src/store/postgres/schema/steps.ts"

/**
 * Installations as earlier versions really left them, each named for its engine and the schema of its ledger. Of a folder
 * it has the files as SQL, of a PostgreSQL database the rows: its tables are made by the steps of that time.
 */
const FOLDERS = join(import.meta.dir, "folders")

/** What the older version said of its installation before it ended. */
export interface OlderInstallation {
  /** Of the account `acme`, as are the key, the receipts and the entries. */
  readonly account: string
  readonly key: string
  readonly balance: string
  readonly budgetLeft: string
  /** By the ids of their requests. */
  readonly receipts: Readonly<Record<string, object>>
  /** The newest first. */
  readonly entries: readonly object[]
  /** How many records the audit log has. */
  readonly records: number
  /** The secret of the operator's authenticator. */
  readonly totp: string
  readonly backupCodes: readonly string[]
  /** A code for 0.5 credits that nobody has redeemed. */
  readonly openCode: string
  /** The request that ran when the process was killed; null where it ended by itself. */
  readonly cut: string | null
}

interface FolderContents extends OlderInstallation {
  /** By file name, as base64. */
  readonly secrets: Readonly<Record<string, string>>
  readonly anchor?: object
}

function readExpected(name: string): FolderContents {
  return JSON.parse(readFileSync(join(FOLDERS, name, "expected.json"), "utf8")) as FolderContents
}

/** Makes the files of an installation in a folder. */
export function makeOlderFolder(name: string, data: string): OlderInstallation {
  const { secrets, anchor, ...expected } = readExpected(name)
  for (const file of readdirSync(join(FOLDERS, name)).filter((file) => file.endsWith(".sql"))) {
    using database = new Database(join(data, file.replace(/sql$/, "db")))
    database.run("PRAGMA journal_mode = WAL")
    database.transaction(() => database.run(readFileSync(join(FOLDERS, name, file), "utf8")))()
  }
  mkdirSync(join(data, "secrets"), { mode: 0o700 })
  for (const [file, value] of Object.entries(secrets)) {
    writeFileSync(join(data, "secrets", file), Buffer.from(value, "base64"), { mode: 0o600 })
  }
  if (anchor) writeFileSync(join(data, "anchor.json"), JSON.stringify(anchor))
  return expected
}

/** Fills an empty database. */
export async function makeOlderDatabase(name: string, url: string): Promise<OlderInstallation> {
  await using client = new PostgresClient({ url, max: 1, connectTime: 5_000 })
  await migrate(client, SCHEMA.slice(0, Number(name.split("-")[1])))
  const rows = readFileSync(join(FOLDERS, name, "rows.sql"), "utf8")
  await client.atLength((statements) => statements.script(rows))
  return readExpected(name)
}
