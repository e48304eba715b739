import { loadSettings } from "../config/load.ts"
import type { DatabasePart, DatabaseStatus } from "../store/database-status.ts"
import { databaseOf } from "../store/installation-database.ts"
import type { NodeRecord } from "../store/nodes.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { loadOptions } from "./load-options.ts"
import { type Column, formatBytes, formatFields, formatTable, type Style } from "./output.ts"

export const DATABASE_GROUP = ["database", "manage the database (SQLite or PostgreSQL)"] as const

const NODE_COLUMNS: readonly Column<NodeRecord>[] = [
  { title: "NODE", cell: ({ id }) => id },
  { title: "HOST", cell: ({ host }) => host },
  { title: "PROCESS", align: "right", cell: ({ process }) => String(process) },
  { title: "LAST SEEN", cell: ({ beatAt }) => new Date(beatAt).toISOString() },
]
const PART_COLUMNS: readonly Column<DatabasePart>[] = [
  { title: "SIZE", align: "right", cell: ({ bytes }) => formatBytes(bytes) },
  {
    title: "PARTITIONS",
    align: "right",
    cell: ({ partitions }) => (partitions === 0 ? "-" : String(partitions)),
  },
  { title: "NAME", cell: ({ name }) => name },
]
const MAX_LISTED_TABLES = 12

/** `tollgate database status` */
const registerDatabaseStatus: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...DATABASE_GROUP)
    .command("status")
    .description("show the type, version, size and nodes of the database")
    .action(async (_options: object, command) => {
      const { settings } = loadSettings(loadOptions(command))
      const status = await databaseOf(settings).status()
      outputOf(command, terminal).result(documentOf(status), (style) => describe(status, style))
    })
}

function documentOf(status: DatabaseStatus): object {
  const { engine, version, place, schema, bytes, parts, nodes, server } = status
  return {
    engine,
    version,
    place,
    schema,
    bytes,
    parts,
    nodes:
      nodes?.map(({ id, host, process, beatAt }) => ({
        id,
        host,
        process,
        last_seen_at: new Date(beatAt).toISOString(),
      })) ?? null,
    server: server
      ? {
          clock_offset_ms: server.clockOffset,
          round_trip_ms: server.roundTrip,
          encryption: server.encryption,
          is_standby: server.isStandby,
          risks: server.risks,
          partition_days_ahead: server.daysAhead,
        }
      : null,
  }
}

function describe(status: DatabaseStatus, style: Style): string {
  const { engine, version, place, schema, bytes, parts, nodes, server } = status
  const fields: [string, string][] = [
    ["engine", `${engine} ${version}`],
    ["place", place],
    ["schema", `${schema.found}, this Tollgate has ${schema.known}`],
    ["size", formatBytes(bytes)],
  ]
  if (server && server.daysAhead !== null) {
    fields.push(["partitions", `created for the next ${server.daysAhead} days`])
  }
  if (schema.fault !== null) fields.push(["note", schema.fault])
  if (nodes) fields.push(["nodes", nodes.length === 0 ? "no running node" : String(nodes.length)])
  const largest = parts.slice(0, MAX_LISTED_TABLES)
  return [
    formatFields(fields, style),
    ...(nodes && nodes.length > 0 ? [formatTable(NODE_COLUMNS, nodes, style)] : []),
    ...(largest.length > 0 ? [formatTable(PART_COLUMNS, largest, style)] : []),
  ].join("\n\n")
}

/** `tollgate database migrate` */
const registerDatabaseMigrate: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...DATABASE_GROUP)
    .command("migrate")
    .description("create or update the tables without starting the gateway")
    .action(async (_options: object, command) => {
      const database = databaseOf(loadSettings(loadOptions(command)).settings)
      const { schema } = await database.status()
      await (await database.openStore())[Symbol.asyncDispose]()
      // With SQLite, users are in a separate file.
      const users = await database.openConsoleStore()
      users[Symbol.dispose]()
      const { schema: after } = await database.status()
      const document = { place: database.place, before: schema.found, after: after.found }
      outputOf(command, terminal).result(document, () => {
        if (schema.found === after.found) {
          return `${database.place} has the current schema ${after.found}: there is nothing to do.`
        }
        const from = schema.found === 0 ? "has its tables now" : `had schema ${schema.found}`
        return `${database.place} ${from}, and is at schema ${after.found}.`
      })
    })
}

export const DATABASE_COMMANDS: readonly RegisterCommand[] = [
  registerDatabaseStatus,
  registerDatabaseMigrate,
]
