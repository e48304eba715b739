import { databaseAddress, isLocalHost } from "../../database-address.ts"
import type {
  DatabasePart,
  DatabaseStatus,
  SchemaVersions,
  ServerStatus,
} from "../database-status.ts"
import { LedgerError } from "../ledger-error.ts"
import type { PostgresClient } from "./client.ts"
import { newestOf, type SchemaState, requireUsable, schemaState } from "./migrate.ts"
import { nodeMethods } from "./nodes.ts"
import { daysAhead } from "./partitions.ts"
import { SCHEMA } from "./schema/steps.ts"

interface PartRow {
  readonly name: string
  readonly bytes: bigint
  readonly partitions: bigint
}

interface ServerRow {
  readonly version: string
  readonly release: bigint
  readonly bytes: bigint
  readonly encoding: string
  readonly encryption: string | null
  readonly is_standby: boolean
  readonly is_read_only: boolean
  readonly risks: readonly string[] | null
}

/** The sizes of tables. Partitions count as part of their table. */
const PARTS = `SELECT name, sum(bytes)::bigint AS bytes, count(*) FILTER (WHERE is_partition) AS partitions
  FROM (SELECT coalesce(parent.relname, own.relname)::text AS name, parent.oid IS NOT NULL AS is_partition,
      pg_total_relation_size(own.oid) AS bytes
    FROM pg_class AS own
    LEFT JOIN pg_inherits ON inhrelid = own.oid
    LEFT JOIN pg_class AS parent ON parent.oid = inhparent
    WHERE own.relkind = 'r' AND own.relnamespace = current_schema()::regnamespace) AS tables
  GROUP BY name ORDER BY bytes DESC, name`

const SERVER = `SELECT current_setting('server_version') AS version,
  current_setting('server_version_num')::bigint / 10000 AS release,
  pg_database_size(current_database()) AS bytes,
  current_setting('server_encoding') AS encoding,
  (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS encryption,
  pg_is_in_recovery() AS is_standby,
  current_setting('default_transaction_read_only') = 'on' AS is_read_only,
  (SELECT array_agg(name || ' = ' || setting ORDER BY name) FROM pg_settings
    WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off') AS risks`

const CLOCK = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now"

/**
 * Returns the status of a database.
 * @param place the location of the database, for messages.
 * @param isProbed whether the statements are prepared, which a pooler must support.
 */
export async function databaseStatus(
  client: PostgresClient,
  place: string,
  isProbed: boolean,
): Promise<DatabaseStatus> {
  const state = await schemaState(client)
  const schema = await versionsOf(state)
  const found = await client.row<ServerRow>(SERVER)
  if (!found) throw new LedgerError("unavailable", `the database at ${place} returned no status`)
  const parts = await client.rows<PartRow>(PARTS)
  const clock = await clockOf(client)
  return {
    engine: "PostgreSQL",
    version: found.version,
    place,
    schema,
    bytes: Number(found.bytes),
    parts: parts.map(partOf),
    nodes: schema.fault === null ? await nodeMethods(client).list() : null,
    server: {
      ...clock,
      release: Number(found.release),
      encoding: found.encoding,
      encryption: found.encryption,
      isOnThisMachine: isOnThisMachine(place),
      isStandby: found.is_standby,
      isReadOnly: found.is_read_only,
      risks: found.risks ?? [],
      poolerFault: isProbed ? await faultOf(() => client.probe(place)) : null,
      daysAhead: state.version === 0 ? null : await daysAhead(client, Date.now()),
    },
  }
}

async function versionsOf(state: SchemaState): Promise<SchemaVersions> {
  const fault = await faultOf(() => requireUsable(state, SCHEMA))
  return { found: state.version, known: newestOf(SCHEMA), fault }
}

/** Returns the message of the LedgerError that a check throws; null if the check passes. */
async function faultOf(check: () => unknown): Promise<string | null> {
  try {
    await check()
    return null
  } catch (error) {
    if (error instanceof LedgerError) return error.message
    throw error
  }
}

function partOf({ name, bytes, partitions }: PartRow): DatabasePart {
  return { name, bytes: Number(bytes), partitions: Number(partitions) }
}

async function clockOf(
  client: PostgresClient,
): Promise<Pick<ServerStatus, "clockOffset" | "roundTrip">> {
  // The first query also prepares the statement, so it is not measured.
  await client.row(CLOCK)
  const [before, begin] = [Date.now(), performance.now()]
  const row = await client.row<{ now: bigint }>(CLOCK)
  const roundTrip = performance.now() - begin
  return { clockOffset: Math.round(Number(row?.now ?? 0n) - before - roundTrip / 2), roundTrip }
}

function isOnThisMachine(place: string): boolean {
  return databaseAddress(place).hosts.every(isLocalHost)
}
