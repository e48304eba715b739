import { expect, test } from "bun:test"
import { system } from "tollgate-contract/system.ts"
import { CachedQuery } from "../../src/management/cached-query.ts"
import { System } from "../../src/management/system.ts"
import type { DatabaseStatus } from "../../src/store/database-status.ts"
import { LedgerError } from "../../src/store/ledger-error.ts"
import { kindOf, OPERATOR, userIn } from "./actors.ts"

const NOW = Date.UTC(2026, 2, 2, 10, 30)
const SQLITE: DatabaseStatus = {
  engine: "SQLite",
  version: "3.50.1",
  place: "/data/tollgate.db",
  schema: { found: 23, known: 23, fault: null },
  bytes: 4_096,
  parts: [],
  nodes: [
    { id: "node_old", process: 1, host: "one", beatAt: NOW - 16_000, machine: null },
    { id: "node_own.2", process: 2, host: "two", beatAt: NOW - 4_000, machine: null },
    {
      id: "node_slow",
      process: 3,
      host: "two",
      beatAt: NOW - 50_000,
      machine: null,
      leaseTerm: 60_000,
    },
  ],
}

function systemOf(
  status: () => Promise<DatabaseStatus>,
  fault?: LedgerError,
  warnings = (): readonly string[] => [],
): System {
  return new System({
    databaseStatus: status,
    databaseWatch: { fault },
    nodeId: "node_own",
    warnings,
  })
}

test("the system report lists the nodes in the database, and marks a node that sends no heartbeat", async () => {
  const report = system.parse(await systemOf(async () => SQLITE).report(OPERATOR, NOW))
  expect(
    report.nodes.map(({ id, is_responding, is_current }) => [id, is_responding, is_current]),
  ).toEqual([
    ["node_own.2", true, true],
    ["node_old", false, false],
    ["node_slow", true, false],
  ])
  expect(report.database).toEqual({
    engine: "SQLite",
    version: "3.50.1",
    bytes: 4_096,
    round_trip_ms: null,
  })
  expect(report.problems).toEqual([])
  expect(JSON.stringify(report)).not.toContain("/data")
})

test("the system report contains the database problems and remedies that the doctor command reports", async () => {
  const server = {
    release: 17,
    clockOffset: 60_000,
    roundTrip: 1.5,
    encryption: null,
    isOnThisMachine: true,
    isStandby: false,
    isReadOnly: false,
    risks: ["fsync = off"],
    encoding: "UTF8",
    poolerFault: null,
    daysAhead: 7,
  }
  const status: DatabaseStatus = { ...SQLITE, engine: "PostgreSQL", version: "17.5", server }
  const lost = new LedgerError("damaged", "the ledger at db is damaged")
  const report = await systemOf(async () => status, lost).report(OPERATOR, NOW)
  expect(report.problems.map(({ name, result }) => [name, result])).toEqual([
    ["database", "failed"],
    ["database server", "warning"],
    ["database clock", "warning"],
  ])
  expect(report.database.round_trip_ms).toBe(1.5)
})

test("the system report is visible only to operators, and a failed query is retried", async () => {
  let calls = 0
  const asked = systemOf(async () => {
    if (++calls === 1) throw new LedgerError("unavailable", "no answer")
    return SQLITE
  })
  expect(await kindOf(asked.report(userIn({ a: "owner" })))).toBe("forbidden")
  const failed = await Promise.allSettled([asked.report(OPERATOR), asked.report(OPERATOR)])
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"])
  expect(calls).toBe(1)
  expect((await asked.report(OPERATOR)).database.engine).toBe("SQLite")
})

test("a slow query of the system report runs once for simultaneous callers, and a failure is not cached", async () => {
  let calls = 0
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const found = new CachedQuery(() => (calls++ === 0 ? promise : Promise.resolve("new")), 1_000_000)
  const first = [found.get(), found.get()]
  reject(new Error("broken"))
  expect((await Promise.allSettled(first)).map(({ status }) => status)).toEqual([
    "rejected",
    "rejected",
  ])
  resolve("never")
  expect(await found.get()).toBe("new")
  const always = new CachedQuery(async () => ++calls, 0)
  expect([await always.get(), await always.get()]).toEqual([3, 4])
})

test("the system report contains the startup warnings with their remedies", async () => {
  const warnings = () => ["provider local: has no models. List them under 'models'."]
  const { problems } = await systemOf(async () => SQLITE, undefined, warnings).report(OPERATOR, NOW)
  expect(problems).toEqual([
    {
      name: "settings, provider local",
      result: "warning",
      found: "has no models",
      fix: "List them under 'models'",
    },
  ])
})
