import { lookup } from "node:dns/promises"
import type { Settings } from "../config/settings.ts"
import type { Database } from "../store/database.ts"
import { databaseAddress } from "../database-address.ts"
import { databaseOf } from "../store/installation-database.ts"
import { LedgerError, type LedgerFault } from "../store/ledger-error.ts"
import { type Check, checkOf } from "../management/check.ts"
import { serverChecks } from "../management/server-checks.ts"
import { inspectLedger } from "./inspect-ledger.ts"
import { systemCode } from "./system-code.ts"

/** Checks the database: first its server, if it has one, then the complete ledger. */
export async function checkDatabase(settings: Settings): Promise<Check[]> {
  const database = databaseOf(settings)
  try {
    const { server, schema, version } = await database.status()
    const checks = server ? serverChecks(server, version) : []
    if (!(await database.exists())) return [...checks, notCreated(database)]
    if (schema.fault !== null) return [...checks, otherSchema(database, schema.fault)]
    return [...checks, await checkLedger(settings, database)]
  } catch (error) {
    return [(await unresolvedHost(settings, error)) ?? failed(error)]
  }
}

/** Returns the failure of a host name without an address. The database client reports it as a refused connection. */
async function unresolvedHost({ database }: Settings, error: unknown): Promise<Check | undefined> {
  if (!(error instanceof LedgerError) || systemCode(error.cause) !== REFUSED) return undefined
  if (database === undefined) return undefined
  for (const host of databaseAddress(database.url).hosts) {
    const name = host.replace(/:\d+$/, "").replace(/^\[|\]$/g, "")
    if (name === "" || (await isResolved(name))) continue
    const fix = "correct the host in database.url, or the name resolution of this machine"
    const found = `${error.message}: the host name '${name}' cannot be resolved`
    return checkOf("database").failed(found, fix)
  }
  return undefined
}

async function isResolved(name: string): Promise<boolean> {
  try {
    await lookup(name)
    return true
  } catch {
    return false
  }
}

function notCreated({ place }: Database): Check {
  return checkOf("database").ok(`no database yet at ${place}`)
}

function otherSchema({ place }: Database, fault: string): Check {
  return checkOf("database").failed(`${place}: ${fault}`, FIXES.other_version)
}

async function checkLedger(settings: Settings, { place }: Database): Promise<Check> {
  const check = checkOf("database")
  try {
    const { verdict, audit } = await inspectLedger(settings)
    const { entries, accounts } = verdict
    const problem = verdict.problems[0] ?? audit.problem
    const found = `${place}: ${accounts} accounts, ${entries} entries`
    if (problem === null) return check.ok(`${found}, the ledger balances`)
    const fix = "someone changed the ledger: restore a backup and compare"
    return check.failed(`${found}; ${problem.message}`, fix)
  } catch (error) {
    return failed(error)
  }
}

function failed(error: unknown): Check {
  const found = error instanceof Error ? error.message : String(error)
  const fix = error instanceof LedgerError ? fixOf(error) : FIXES.damaged
  return checkOf("database").failed(found, fix)
}

/** Returns the next step after a failure of the database. */
export function fixOf(error: LedgerError): string {
  const { code } = error
  return (code === "unavailable" ? SERVER_FIXES[systemCode(error.cause)] : undefined) ?? FIXES[code]
}

/** The client's code for a host that refuses connections, or whose name cannot be resolved. */
const REFUSED = "ERR_POSTGRES_CONNECTION_REFUSED"

/** Next steps by the code of the server (SQLSTATE) or of its client. */
const SERVER_FIXES: Readonly<Record<string, string>> = {
  "25006": "connect to a server that accepts writes, and remove default_transaction_read_only",
  "28000": "correct the user in database.url, or allow it in the server's pg_hba.conf",
  "28P01": "correct the user and the password in database.url",
  "3D000": "create the database, or correct its name in database.url",
  "42704": "remove unknown parameters from database.url, such as misspelt ones",
  "42501": "grant the user all rights on the database and its schema",
  "53300": "raise max_connections of the server, or lower database.connections",
  "57014": "raise statement_timeout for the user of database.url, or remove it",
  ERR_INVALID_ARG_TYPE: "correct the file that sslrootcert in database.url names",
  ERR_POSTGRES_CONNECTION_FAILED:
    "check that the port in database.url belongs to a PostgreSQL server, and that the server accepts connections from this machine",
  ERR_POSTGRES_CONNECTION_TIMEOUT:
    "check the host and the port in database.url, and firewalls between this machine and the server",
  ERR_POSTGRES_TLS_NOT_AVAILABLE:
    "enable TLS in the server (ssl = on), or correct sslmode in database.url",
  [REFUSED]:
    "check the host and the port in database.url, and that the server runs and accepts connections from this machine",
}

const FIXES: Readonly<Record<LedgerFault, string>> = {
  other_version: "run this command with the version of Tollgate that serves",
  without_secrets:
    "set TOLLGATE_SECRET as it was at the first start, or restore the folder 'secrets' from a backup",
  unavailable:
    "a folder: make it writable, or choose another; a server: check that it runs and accepts connections from this machine",
  encoding: "create a database with the encoding UTF8, and set database.url to it",
  not_found: "restore a backup, or choose another folder",
  missing: "restore a backup, or choose another folder",
  exists: "choose another folder",
  unfinished: "empty it, and begin again with 'tollgate database copy' or 'tollgate restore'",
  damaged: "restore a backup, or choose another folder",
}
