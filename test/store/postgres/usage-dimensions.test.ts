import { afterAll, beforeAll, expect, test } from "bun:test"
import { PostgresClient } from "../../../src/store/postgres/client.ts"
import { migrate } from "../../../src/store/postgres/migrate.ts"
import { sumUsage } from "../../../src/store/postgres/requests-usage.ts"
import { SCHEMA } from "../../../src/store/postgres/schema/steps.ts"
import { PostgresServer } from "../../support/postgres-server.ts"

/** The schema before usage was told apart by endpoint. */
const BEFORE = SCHEMA.slice(0, 13)
const HOUR = 3_600_000

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

/** What must not change. */
function rawTotal(client: PostgresClient) {
  return client.rows(
    `SELECT sum(requests) AS requests, sum(errors) AS errors, sum(input) AS input, sum(output) AS output, sum(cost) AS cost,
       sum(written_off) AS written_off, sum(duration) AS duration, sum(first_bytes) AS first_bytes FROM usage_hours`,
  )
}
