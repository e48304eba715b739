import { Database } from "bun:sqlite"
import { afterEach, beforeEach, expect, test } from "bun:test"
import { databaseFileIn } from "../../../src/store/sqlite/database-file.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { DONE, frame, startVendor, streamed, usageFrame } from "../scripted-vendor.ts"
import { CHAT, contentOf, creditsOf, errorOf, HELLO, readUntil, streamErrorOf } from "../support.ts"
import { until } from "../../support/until.ts"

let gateway: TestGateway
let caller: TestCaller
let database: Database

beforeEach(async () => {
  // The ledger must not be on the thread of this test, because a locked ledger would block the test too.
  gateway = await startGateway({ isShared: true })
  caller = await gateway.caller("1")
  // The first request leases credits. Later requests need the disk only for their charges.
  await (await chat(false)).text()
  database = new Database(databaseFileIn(gateway.settings.data))
  // The gateway's heartbeat may hold the lock for a moment.
  database.run("PRAGMA busy_timeout = 5000")
})

afterEach(async () => {
  database.close()
  await gateway[Symbol.asyncDispose]()
})

const chat = (stream: boolean) => caller.post(CHAT, { model: "sim/echo", messages: HELLO, stream })

function chargesOnDisk(): number {
  const query = database.query<{ count: number }, []>(
    "SELECT count(*) AS count FROM entries WHERE kind = 'charge'",
  )
  return query.get()?.count ?? 0
}

/** Whether a promise is settled by the time that the gateway has answered several later requests. */
async function comes(promise: Promise<unknown>): Promise<boolean> {
  for (let asked = 0; asked < 20; asked++) await (await fetch(`${gateway.url}/healthz`)).text()
  return Bun.peek.status(promise) !== "pending"
}

test("a whole response is delayed until its charge is written to disk", async () => {
  database.run("BEGIN IMMEDIATE")
  const answer = chat(false)
  await until(() => gateway.simulator.requests.at(-1)?.finished === true)
  expect(await comes(answer)).toBe(false)
  expect(chargesOnDisk()).toBe(1)
  database.run("COMMIT")
  const response = await answer
  expect(response.status).toBe(200)
  expect(chargesOnDisk()).toBe(2)
  expect(response.headers.get("x-tollgate-cost")).not.toBeNull()
})

test("a stream continues while the disk is busy, but its last byte is delayed", async () => {
  using vendor = startVendor(() =>
    streamed([frame("Hello"), 20, frame("", "stop") + usageFrame(10, 1) + DONE]),
  )
  const { settings } = gateway
  await gateway.app.apply({
    ...settings,
    providers: { ...settings.providers, paced: provider(vendor.url) },
    models: { "paced/echo": simulated() },
  })
  database.run("BEGIN IMMEDIATE")
  const body = { model: "paced/echo", messages: HELLO, stream: true }
  const reader = (await caller.post(CHAT, body)).body?.getReader()
  if (!reader) throw new Error("no body")
  const text = await readUntil(reader, (text) => contentOf(text) === "Hello")
  expect(text).not.toContain("[DONE]")
  const end = readUntil(reader, (text) => text.includes("[DONE]"))
  expect(await comes(end)).toBe(false)
  expect(chargesOnDisk()).toBe(1)
  database.run("COMMIT")
  await end
  expect(chargesOnDisk()).toBe(2)
})

test("a caller that disconnects while its charge is being stored pays, and no failure is reported", async () => {
  let isSent = false
  function* steps() {
    yield frame("Hello")
    yield 20
    yield frame("", "stop") + usageFrame(10, 1) + DONE
    isSent = true
  }
  using vendor = startVendor(() => streamed(steps()))
  const { settings } = gateway
  await gateway.app.apply({
    ...settings,
    providers: { ...settings.providers, paced: provider(vendor.url) },
    models: { "paced/echo": simulated() },
  })
  database.run("BEGIN IMMEDIATE")
  const body = { model: "paced/echo", messages: HELLO, stream: true }
  const reader = (await caller.post(CHAT, body)).body?.getReader()
  if (!reader) throw new Error("no body")
  await readUntil(reader, (text) => contentOf(text) === "Hello")
  const end = readUntil(reader, (text) => text.includes("[DONE]")).catch(() => undefined)
  await until(() => isSent)
  expect(await comes(end)).toBe(false)
  await reader.cancel()
  expect(await comes(end)).toBe(true)
  database.run("COMMIT")
  await until(() => chargesOnDisk() === 2)
  await until(async () => (await creditsOf(caller)).held === "0")
  expect(gateway.heard.map(({ name }) => name)).not.toContain("requestFailed")
})

async function withBrokenLedger(work: () => Promise<void>): Promise<void> {
  database.run("ALTER TABLE entries RENAME TO entries_away")
  try {
    await work()
  } finally {
    database.run("ALTER TABLE entries_away RENAME TO entries")
  }
}

test("a whole response becomes an error if its charge cannot be written", async () => {
  const before = (await creditsOf(caller)).balance
  await withBrokenLedger(async () => {
    const response = await chat(false)
    expect(response.headers.get("x-should-retry")).toBe("true")
    const error = await errorOf(response)
    expect(error).toMatchObject({ status: 503, code: "ledger_unavailable" })
    expect(response.headers.get("retry-after")).not.toBeNull()
    expect(error.message).toContain("not released")
    expect(error.message).toContain("Nothing was charged")
    expect(JSON.stringify(error)).not.toContain("Hello there")
    expect(gateway.heard.map(({ name }) => name)).toContain("ledgerFailed")
  })
  expect(chargesOnDisk()).toBe(1)
  expect(await creditsOf(caller)).toMatchObject({ balance: before, held: "0" })
})

test("a stream ends with an error if its charge cannot be written", async () => {
  const before = (await creditsOf(caller)).balance
  await withBrokenLedger(async () => {
    const text = await (await chat(true)).text()
    const error = streamErrorOf(text)
    expect(error.code).toBe("ledger_unavailable")
    expect(error.message).toContain("Nothing was charged")
  })
  expect(chargesOnDisk()).toBe(1)
  expect(await creditsOf(caller)).toMatchObject({ balance: before, held: "0" })
})

test("an operation other than chat returns an error if its charge cannot be written", async () => {
  const model = "sim/embed"
  const { settings } = gateway
  const embedding = { kind: "embedding", price: { input: "1" } } as const
  await gateway.app.apply({ ...settings, models: { ...settings.models, [model]: embedding } })
  await withBrokenLedger(async () => {
    const response = await caller.post("/v1/embeddings", { model, input: "Hello" })
    expect(await errorOf(response)).toMatchObject({ status: 503, code: "ledger_unavailable" })
  })
  expect((await creditsOf(caller)).held).toBe("0")
})

test("a request is rejected as retryable if no lease can be written", async () => {
  const rich = await gateway.caller("5")
  database.run("ALTER TABLE leases RENAME TO leases_away")
  try {
    const response = await rich.post(CHAT, { model: "sim/echo", messages: HELLO })
    expect(await errorOf(response)).toMatchObject({ status: 503, code: "ledger_unavailable" })
    expect(gateway.heard.map(({ name }) => name)).toContain("ledgerFailed")
  } finally {
    database.run("ALTER TABLE leases_away RENAME TO leases")
  }
})

test("requests are rejected while the ledger cannot be written, and accepted afterwards", async () => {
  await withBrokenLedger(async () => {
    await (await chat(false)).text()
    // The gateway tries each second whether the ledger can be written again. Until then, requests fail.
    await until(async () => {
      const asked = gateway.simulator.requests.length
      const response = await chat(false)
      expect(response.headers.get("retry-after")).not.toBeNull()
      expect((await errorOf(response)).status).toBe(503)
      const ready = await fetch(`${gateway.url}/readyz`)
      return gateway.simulator.requests.length === asked && ready.status === 503
    })
  })
  await until(async () => (await fetch(`${gateway.url}/readyz`)).status === 200)
  expect((await chat(false)).status).toBe(200)
})
