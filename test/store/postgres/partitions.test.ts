import { afterAll, beforeAll, expect, test } from "bun:test"
import { PostgresClient } from "../../../src/store/postgres/client.ts"
import { migrate } from "../../../src/store/postgres/migrate.ts"
import {
  daysAhead,
  ensurePartitions,
  partitionsAround,
} from "../../../src/store/postgres/partitions.ts"
import { SCHEMA } from "../../../src/store/postgres/schema/steps.ts"
import { firstRequestOf } from "../../../src/store/request-search.ts"
import { PostgresServer } from "../../support/postgres-server.ts"

const NOW = Date.UTC(2026, 10, 23, 12)
const DAY = 24 * 60 * 60_000

let server: PostgresServer
beforeAll(async () => {
  server = await PostgresServer.start()
})
afterAll(() => server[Symbol.asyncDispose]())

async function open(): Promise<PostgresClient> {
  const url = server.url(await server.create())
  const client = new PostgresClient({ url, max: 4, connectTime: 5_000 })
  await migrate(client, SCHEMA)
  return client
}

async function insert(client: PostgresClient, request: string): Promise<string | undefined> {
  const row = await client.row<{ place: string }>(
    `INSERT INTO receipts (request, account, key, at, body, endpoint, model, status, outcome, failed, stream,
       estimated, input, output, cost, written_off)
     VALUES ($1, 'a', 'k', 0, '{}', '', '', 'settled', 'ok', false, false, false, 0, 0, 0, 0)
     RETURNING tableoid::regclass::text AS place`,
    [request],
  )
  return row?.place
}

test("a request is stored in the partition of the day that its id contains", async () => {
  await using client = await open()
  await Promise.all([ensurePartitions(client, NOW), ensurePartitions(client, NOW)])
  const day = Date.UTC(2026, 10, 23)
  expect(await insert(client, `${firstRequestOf(day)}-7000-a`)).toBe("receipts_2026_11_23")
  expect(await insert(client, `${firstRequestOf(day - 1)}-7fff-a`)).toBe("receipts_2026_11_22")
  expect(await insert(client, `${firstRequestOf(day + DAY - 1)}-7fff-a`)).toBe(
    "receipts_2026_11_23",
  )
  expect(await insert(client, "another-form")).toBe("receipts_other")
})

test("a long-running node creates the partitions of the next days without blocking writers", async () => {
  await using client = await open()
  await ensurePartitions(client, NOW)
  const { promise: isRead, resolve: end } = Promise.withResolvers<void>()
  const { promise: isReading, resolve: begin } = Promise.withResolvers<void>()
  const report = client.consistently(async (transaction) => {
    await transaction.rows("SELECT count(*) FROM receipts")
    begin()
    await isRead
  })
  await isReading
  const later = NOW + 90 * DAY
  const making = ensurePartitions(client, later)
  expect(await insert(client, `${firstRequestOf(NOW)}-7000-a`)).toBe("receipts_2026_11_23")
  end()
  await Promise.all([report, making])
  expect(await daysAhead(client, later)).toBe(8)
  expect(await insert(client, `${firstRequestOf(later)}-7000-a`)).toBe("receipts_2027_02_21")
})

test("old rows are stored in monthly partitions", () => {
  const names = partitionsAround(NOW, Date.UTC(2026, 5, 20)).map(({ name }) => name)
  expect(names).toContain("receipts_2026_06")
  expect(names).toContain("receipts_2026_08")
  expect(names).toContain("receipts_2026_09_01")
  expect(names).not.toContain("receipts_2026_09")
  expect(names).toContain("entries_2026_06")
  expect(new Set(names).size).toBe(names.length)
})

test("the order of request ids is chronological", () => {
  const id = `req_${Bun.randomUUIDv7("hex", NOW)}`
  expect(id >= firstRequestOf(NOW)).toBe(true)
  expect(id < firstRequestOf(NOW + 1)).toBe(true)
})

test("rows in the default partition stay in it and do not block other partitions", async () => {
  await using client = await open()
  const day = Date.UTC(2026, 10, 24)
  expect(await insert(client, `${firstRequestOf(day)}-7000-a`)).toBe("receipts_other")
  await ensurePartitions(client, NOW)
  await ensurePartitions(client, NOW)
  expect(await insert(client, `${firstRequestOf(day)}-7000-b`)).toBe("receipts_other")
  expect(await insert(client, `${firstRequestOf(day + DAY)}-7000-b`)).toBe("receipts_2026_11_25")
})
