import type { Settings } from "../config/settings.ts"
import type { ServerStatus } from "../store/database-status.ts"
import type { Database } from "../store/database.ts"
import { databaseOf } from "../store/installation-database.ts"
import { LedgerError, type LedgerFault } from "../store/ledger-error.ts"
import type { Check } from "./doctor-check.ts"
import { inspectLedger } from "./inspect-ledger.ts"

/** The oldest PostgreSQL that the schema works with. */
const OLDEST_RELEASE = 14
/** A larger difference between the clocks is reported, milliseconds: reports and expiry go by the node's own. */
const CLOCK_TOLERANCE = 5_000
/** Fewer days with partitions are reported. */
const FEW_DAYS = 2

/** Checks the database: its server first, where it has one, then all of the ledger. */
export async function checkDatabase(settings: Settings): Promise<Check[]> {
  const database = databaseOf(settings)
  try {
    const { server, schema, version } = await database.status()
    const checks = server ? serverChecks(server, version) : []
    if (!(await database.exists())) return [...checks, noneYet(database)]
    if (schema.fault !== null) return [...checks, otherSchema(database, schema.fault)]
    return [...checks, await checkLedger(settings, database)]
  } catch (error) {
    return [failed(error)]
  }
}

function noneYet({ place }: Database): Check {
  return { name: "database", result: "ok", found: `none yet at ${place}` }
}

function otherSchema({ place }: Database, fault: string): Check {
  return {
    name: "database",
    result: "failed",
    found: `${place}: ${fault}`,
    mend: MENDS.other_version,
  }
}

async function checkLedger(settings: Settings, { place }: Database): Promise<Check> {
  const name = "database"
  try {
    const { verdict, audit } = await inspectLedger(settings)
    const { entries, accounts } = verdict
    const problem = verdict.problems[0] ?? audit.problem
    const found = `${place}: ${accounts} accounts, ${entries} entries`
    if (problem === null) return { name, result: "ok", found: `${found}, the ledger balances` }
    const mend = "someone changed the ledger: restore a backup and compare"
    return { name, result: "failed", found: `${found}; ${problem.message}`, mend }
  } catch (error) {
    return failed(error)
  }
}

function failed(error: unknown): Check {
  const found = error instanceof Error ? error.message : String(error)
  const mend = error instanceof LedgerError ? MENDS[error.code] : MENDS.damaged
  return { name: "database", result: "failed", found, mend }
}

const MENDS: Readonly<Record<LedgerFault, string>> = {
  other_version: "do that with the version of Tollgate that is meant to run",
  without_secrets:
    "set TOLLGATE_SECRET as it was at the first start, or restore the folder 'secrets' from a backup",
  unavailable:
    "a folder: make it writable, or choose another; a server: see that it runs and lets this machine in",
  not_found: "restore a backup, or choose another folder",
  missing: "restore a backup, or choose another folder",
  exists: "choose another folder",
  unfinished: "empty it, and begin again with 'tollgate database copy' or 'tollgate restore'",
  damaged: "restore a backup, or choose another folder",
}

function serverChecks(server: ServerStatus, version: string): Check[] {
  return [
    checkServer(server, version),
    checkConnection(server),
    checkServerClock(server),
    ...(server.daysAhead === null ? [] : [checkPartitions(server.daysAhead)]),
  ]
}

function checkServer({ release, isStandby, risks }: ServerStatus, version: string): Check {
  const name = "database server"
  const found = `PostgreSQL ${version}`
  if (release < OLDEST_RELEASE) {
    return { name, result: "failed", found, mend: `use PostgreSQL ${OLDEST_RELEASE} or newer` }
  }
  if (isStandby) {
    const mend = "give the address of the primary: database.url"
    return { name, result: "failed", found: `${found}, a standby, which cannot be written`, mend }
  }
  if (risks.length === 0) return { name, result: "ok", found }
  const mend = "switch it on: a crash of the server loses charges that it has confirmed"
  return { name, result: "warning", found: `${found}, ${risks.join(", ")}`, mend }
}

function checkConnection(server: ServerStatus): Check {
  const name = "database connection"
  const { encryption, isOnThisMachine, poolerFault } = server
  const roundTrip = `${server.roundTrip.toFixed(1)} ms there and back`
  const found = `${encryption ?? "not encrypted"}, ${roundTrip}`
  if (poolerFault !== null) {
    const mend = "use PgBouncer 1.21 or newer, or set database.prepared_statements: false"
    return { name, result: "failed", found: poolerFault, mend }
  }
  if (encryption !== null || isOnThisMachine) return { name, result: "ok", found }
  const mend =
    "add ?sslmode=verify-full to database.url: who is on the way reads and changes the ledger"
  return { name, result: "warning", found, mend }
}

function checkServerClock({ clockOffset, roundTrip }: ServerStatus): Check {
  const name = "database clock"
  const seconds = (Math.abs(clockOffset) / 1_000).toFixed(1)
  if (Math.abs(clockOffset) <= CLOCK_TOLERANCE + roundTrip) {
    return { name, result: "ok", found: `within ${seconds} s of this machine's` }
  }
  const found = `${seconds} s ${clockOffset > 0 ? "ahead of" : "behind"} this machine's`
  return { name, result: "warning", found, mend: "set the clocks of both, for example with NTP" }
}

function checkPartitions(days: number): Check {
  const name = "database partitions"
  const found = `for ${days} days from today on`
  if (days >= FEW_DAYS) return { name, result: "ok", found }
  const mend = "start a node: it makes those of the next days, and then goes on to do so"
  return { name, result: "warning", found, mend }
}
