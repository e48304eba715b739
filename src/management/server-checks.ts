import type { ServerStatus } from "../store/database-status.ts"
import { type Check, checkOf } from "./check.ts"

/** The oldest supported release of PostgreSQL. */
const MIN_RELEASE = 14
/** Maximum difference between the clocks of the server and the node. Reports and expiry use the node's clock. */
const CLOCK_TOLERANCE_MS = 5_000
/** Minimum number of days in advance for which partitions must exist. */
const MIN_DAYS_AHEAD = 2

/** Checks the server of a database. */
export function serverChecks(server: ServerStatus, version: string): Check[] {
  return [
    checkServer(server, version),
    checkEncoding(server),
    checkConnection(server),
    checkServerClock(server),
    ...(server.daysAhead === null ? [] : [checkPartitions(server.daysAhead)]),
  ]
}

function checkServer(
  { release, isStandby, isReadOnly, risks }: ServerStatus,
  version: string,
): Check {
  const check = checkOf("database server")
  const found = `PostgreSQL ${version}`
  if (release < MIN_RELEASE) {
    return check.failed(found, `use PostgreSQL ${MIN_RELEASE} or newer`)
  }
  if (isStandby) {
    const fix = "give the address of the primary: database.url"
    return check.failed(`${found}, a read-only standby`, fix)
  }
  if (isReadOnly) {
    const fix = "remove default_transaction_read_only for the user of database.url"
    return check.failed(`${found}, with read-only transactions`, fix)
  }
  if (risks.length === 0) return check.ok(found)
  const fix = "switch it on: a crash of the server loses charges that it has confirmed"
  return check.warning(`${found}, ${risks.join(", ")}`, fix)
}

/** Rejects an encoding that lacks characters, because receipts with such characters could not be stored. */
function checkEncoding({ encoding }: ServerStatus): Check {
  const check = checkOf("database encoding")
  if (encoding === "UTF8") return check.ok(encoding)
  const fix =
    "create another database (CREATE DATABASE tollgate ENCODING 'UTF8' TEMPLATE template0) and set database.url to it"
  return check.failed(`${encoding}, which lacks some characters`, fix)
}

function checkConnection(server: ServerStatus): Check {
  const check = checkOf("database connection")
  const { encryption, isOnThisMachine, poolerFault } = server
  const roundTrip = `${server.roundTrip.toFixed(1)} ms round trip`
  const found = `${encryption ?? "not encrypted"}, ${roundTrip}`
  if (poolerFault !== null) {
    const fix = "use PgBouncer 1.21 or newer, or set database.prepared_statements: false"
    return check.failed(poolerFault, fix)
  }
  if (encryption !== null || isOnThisMachine) return check.ok(found)
  const fix =
    "add ?sslmode=verify-full to database.url: otherwise the ledger can be read and changed in transit"
  return check.warning(found, fix)
}

function checkServerClock({ clockOffset, roundTrip }: ServerStatus): Check {
  const check = checkOf("database clock")
  const seconds = (Math.abs(clockOffset) / 1_000).toFixed(1)
  if (Math.abs(clockOffset) <= CLOCK_TOLERANCE_MS + roundTrip) {
    return check.ok(`within ${seconds} s of this machine's`)
  }
  const found = `${seconds} s ${clockOffset > 0 ? "ahead of" : "behind"} this machine's`
  return check.warning(found, "set the clocks of both, for example with NTP")
}

function checkPartitions(days: number): Check {
  const check = checkOf("database partitions")
  const found = `created for the next ${days} days`
  if (days >= MIN_DAYS_AHEAD) return check.ok(found)
  const fix = "start a node, which creates the partitions of the next days"
  return check.warning(found, fix)
}
