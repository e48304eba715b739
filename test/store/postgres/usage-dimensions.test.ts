import { afterAll, beforeAll, expect, test } from "bun:test"
import { PostgresClient } from "../../../src/store/postgres/client.ts"
import { migrate } from "../../../src/store/postgres/migrate.ts"
import { sumUsage } from "../../../src/store/postgres/requests-usage.ts"
import { SCHEMA } from "../../../src/store/postgres/schema/steps.ts"
import { PostgresServer } from "../../support/postgres-server.ts"
import { until } from "../../support/until.ts"

/** The schema before usage was told apart by endpoint. */
const BEFORE = SCHEMA.slice(0, 13)
const HOUR = 3_600_000
/** The beginning of an hour of 2026. */
const AT = 498_700 * HOUR

let server: PostgresServer
beforeAll(async () => {
  server = await PostgresServer.start()
})
afterAll(() => server[Symbol.asyncDispose]())

test("an upgrade splits sums by endpoint as far as there are receipts, and loses nothing of the rest", async () => {
  const url = server.url(await server.create())
  await using client = new PostgresClient({ url, max: 4, connectTime: 5_000 })
  await migrate(client, BEFORE)
  // Five requests were counted, and the receipts of three are still there.
  await client.run(
    `INSERT INTO usage_hours VALUES (1, 'a', 'k', 'm', 'p', 'ok', 5, 1, 50, 25, 500, 10, 5, 100, 2, 20),
       (1, 'b', 'k', 'm', '', 'ok', 1, 0, 1, 1, 7, 0, 0, 0, 0, 0)`,
  )
  for (const [request, endpoint] of [
    ["1", "/v1/messages"],
    ["2", "/v1/messages"],
    ["3", "/v1/responses"],
  ]) {
    await client.run(
      `INSERT INTO receipts (request, account, key, at, body, endpoint, model, provider, status, outcome, failed, stream,
         estimated, duration, first_byte, input, output, cost, written_off)
       VALUES ($1, 'a', 'k', ${HOUR}, '{}', $2, 'm', 'p', 'settled', 'ok', false, false, false, 20, null, 10, 5, 100, 2)`,
      [request ?? "", endpoint ?? ""],
    )
  }
  const all = { from: 0, to: 10 * HOUR }
  const [before] = await rawTotal(client)
  await migrate(client, SCHEMA)
  expect(await rawTotal(client)).toEqual([before])
  expect(await sumUsage(client, { ...all, accounts: ["a"] }, "endpoint")).toMatchObject([
    { group: "", requests: 2, errors: 1, cost: 200n, writtenOff: 4n, providerCost: 204n },
    { group: "/v1/messages", requests: 2, errors: 0, cost: 200n, providerCost: 204n },
    { group: "/v1/responses", requests: 1, cost: 100n, providerCost: 102n, meanDuration: 20 },
  ])
  expect(await sumUsage(client, { ...all, accounts: ["b"] }, "endpoint")).toMatchObject([
    { group: "", requests: 1, cost: 7n, providerCost: 7n },
  ])
})

test("what is settled while an upgrade adds up is in its sums", async () => {
  const url = server.url(await server.create())
  await using client = new PostgresClient({ url, max: 4, connectTime: 5_000 })
  await migrate(client, BEFORE)
  const values = "'m', 'p', 'settled', 'ok', false, false, false, 20, null, 10, 5, 100, 2"
  const post = (request: string, at: number, endpoint: string) => `
    INSERT INTO receipts (request, account, key, at, body, endpoint, model, provider, status, outcome, failed, stream,
      estimated, duration, first_byte, input, output, cost, written_off)
    VALUES ('${request}', 'a', 'k', ${at}, '{}', '${endpoint}', ${values});
    INSERT INTO usage_hours AS u VALUES (${at / HOUR}, 'a', 'k', 'm', 'p', 'ok', 1, 0, 10, 5, 100, 2, 1, 20, 0, 0)
    ON CONFLICT (account, hour, key, model, provider, outcome) DO UPDATE SET requests = u.requests + 1,
      input = u.input + 10, output = u.output + 5, cost = u.cost + 100, written_off = u.written_off + 2,
      durations = u.durations + 1, duration = u.duration + 20`
  for (const [request, endpoint] of [
    ["1", "/v1/messages"],
    ["0", "/v1/rerank"],
  ] as const) {
    await client.atLength((statements) => statements.script(post(request, AT, endpoint)))
  }
  let migrated: Promise<unknown> | undefined
  // It has added up by when it waits for the lock; these were not committed then.
  await client.atLength(async (statements) => {
    await statements.script(post("2", AT, "/v1/responses"))
    await statements.script(post("3", AT, "/v1/messages"))
    await statements.script(post("4", AT + HOUR, "/v1/messages"))
    migrated = migrate(client, SCHEMA)
    await until(async () => (await lockWaiters(client)) > 0)
  }, "READ COMMITTED")
  await migrated
  const all = { from: 0, to: AT + 10 * HOUR, accounts: ["a"] }
  expect(await sumUsage(client, all, "endpoint")).toMatchObject([
    { group: "/v1/messages", requests: 3, cost: 300n, writtenOff: 6n, providerCost: 306n },
    { group: "/v1/rerank", requests: 1, cost: 100n },
    { group: "/v1/responses", requests: 1, cost: 100n },
  ])
  const [total] = await rawTotal(client)
  expect(total).toMatchObject({ requests: "5", cost: "500", duration: "100" })
})

async function lockWaiters(client: PostgresClient): Promise<number> {
  const row = await client.row<{ count: number }>(
    "SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'relation' AND NOT granted",
  )
  return row?.count ?? 0
}

/** What must not change. */
function rawTotal(client: PostgresClient) {
  return client.rows(
    `SELECT sum(requests) AS requests, sum(errors) AS errors, sum(input) AS input, sum(output) AS output, sum(cost) AS cost,
       sum(written_off) AS written_off, sum(duration) AS duration, sum(first_bytes) AS first_bytes FROM usage_hours`,
  )
}
