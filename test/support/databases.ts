import type { DatabaseSettings } from "../../src/config/settings.ts"
import { TestDatabases } from "./postgres-databases.ts"

const databases = new TestDatabases()

/** The kinds of database for a gateway's ledger. Each function creates a new database and returns its settings. */
export const LEDGERS: Readonly<Record<string, () => Promise<LedgerSettings>>> = {
  SQLite: async () => ({}),
  PostgreSQL: () => postgres("database"),
  "PostgreSQL with a journal": () => postgres("journal"),
}

interface LedgerSettings {
  readonly database?: DatabaseSettings
}

async function postgres(settle: DatabaseSettings["settle"]): Promise<LedgerSettings> {
  const url = await databases.urlOf(crypto.randomUUID())
  const common = { connections: 8, preparedStatements: true, allowInsecure: true }
  return { database: { url, settle, ...common, leaseTerm: 15_000, settleTimeout: 10_000 } }
}
