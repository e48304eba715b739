import { afterAll, beforeAll, expect, test } from "bun:test"
import { journalState } from "../../src/store/installation-journal.ts"
import { startVendor, streamed, WHOLE_STREAM } from "../relay/scripted-vendor.ts"
import { createTemplate } from "../support/postgres-databases.ts"
import { PostgresServer } from "../support/postgres-server.ts"
import {
  createInstallation,
  type Installation,
  runCommand,
  runJson,
  type ServingProcess,
  startServing,
} from "../support/process.ts"
import { until } from "../support/until.ts"

let server: PostgresServer
/** The name of a database with the gateway's tables, which each test copies. */
let template: string
beforeAll(async () => {
  server = await PostgresServer.start({ isDurable: true })
  template = await createTemplate(server)
})
afterAll(() => server[Symbol.asyncDispose]())

/** Two machines that share only a database. */
interface Twins extends Disposable {
  readonly left: Installation
  readonly right: Installation
}

/** @param more further settings of the database. */
function createTwins(vendorUrl: string, databaseUrl: string, more = "connections: 10"): Twins {
  const yaml = `
server: { port: 0 }
database: { url: "${databaseUrl}", ${more} }
providers:
  vendor: { vendor: openai-compatible, api_key: upstream, base_url: "${vendorUrl}" }
models:
  vendor/echo: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }
`
  const left = createInstallation(yaml)
  const right = createInstallation(yaml)
  return {
    left,
    right,
    [Symbol.dispose]() {
      left[Symbol.dispose]()
      right[Symbol.dispose]()
    },
  }
}

async function createCaller(installation: Installation): Promise<string> {
  await runJson(installation, "account", "create", "caller", "--credits", "1")
  return (await runJson<{ key: string }>(installation, "key", "create", "--account", "caller")).key
}

function chat(serving: ServingProcess, key: string): Promise<Response> {
  return fetch(`${serving.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "vendor/echo",
      stream: true,
      messages: [{ role: "user", content: "Hello" }],
    }),
  })
}

test("two machines with one database share keys, credits, receipts and revocations", async () => {
  using vendor = startVendor(() => streamed([WHOLE_STREAM]))
  using twins = createTwins(vendor.url, server.url(await server.create(template)))
  const { left, right } = twins
  const key = await createCaller(left)
  await using one = await startServing(left)
  await using other = await startServing(right)
  for (const serving of [one, other]) {
    expect(await (await chat(serving, key)).text()).toContain("[DONE]")
  }
  const credits = await fetch(`${other.url}/v1/credits`, {
    headers: { authorization: `Bearer ${key}` },
  })
  // Each of the two chats has ten input tokens and one output token.
  expect(await credits.json()).toMatchObject({ balance: "0.999976" })

  const { keys } = await runJson<{ keys: { id: string }[] }>(right, "key", "list")
  await runJson(right, "key", "revoke", keys[0]?.id ?? "")
  for (const serving of [one, other]) {
    await until(async () => (await chat(serving, key)).status === 401)
  }
  // By this time, each machine has found the other.
  const account = ["--account", "caller", "--rpm", "5"]
  const limited = await runJson<{ key: string }>(left, "key", "create", ...account)
  await until(async () => (await chat(other, limited.key)).ok)
  const statuses: number[] = []
  for (const serving of [one, other, one, other, one, other]) {
    statuses.push((await chat(serving, limited.key)).status)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
  for (const serving of [one, other]) {
    serving.process.kill("SIGTERM")
    expect(await serving.process.exited).toBe(0)
  }
  const verdict = await runCommand(left, "ledger", "verify")
  expect(verdict).toMatchObject({ exitCode: 0 })
})

test("ledger verify prints the address of a database without a ledger, and exits with code 4", async () => {
  const name = await server.create()
  using twins = createTwins("http://127.0.0.1:1/v1", server.url(name))
  const missing = await runCommand(twins.left, "ledger", "verify")
  expect(missing).toMatchObject({ exitCode: 4, stdout: "" })
  expect(missing.stderr).toContain(
    `there is no ledger at postgres://127.0.0.1:${server.port}/${name}`,
  )
})

test("a database crash only delays requests that are running", async () => {
  using vendor = startVendor(() => streamed([WHOLE_STREAM]))
  using twins = createTwins(vendor.url, server.url(await server.create(template)))
  const { left } = twins
  const key = await createCaller(left)
  await using serving = await startServing(left)
  expect(await (await chat(serving, key)).text()).toContain("[DONE]")
  server.crash()
  const running = chat(serving, key).then((response) => response.text())
  await until(() => serving.errors().includes("ledger_unavailable"))
  const rejected = await chat(serving, key)
  expect(rejected.status).toBe(503)
  expect(rejected.headers.get("retry-after")).not.toBeNull()
  await server.restart()
  expect(await running).toContain("[DONE]")
  await until(async () => (await chat(serving, key)).ok)
  serving.process.kill("SIGTERM")
  expect(await serving.process.exited).toBe(0)
  const { entries } = await runJson<{ entries: number }>(left, "ledger", "verify")
  // The entries are the grant and three chats.
  expect(entries).toBe(4)
})

test("a journal keeps charges during a database crash, even if the node crashes too", async () => {
  using vendor = startVendor(() => streamed([WHOLE_STREAM]))
  using twins = createTwins(
    vendor.url,
    server.url(await server.create(template)),
    "settle: journal",
  )
  const { left } = twins
  const key = await createCaller(left)
  const serving = await startServing(left)
  expect(await (await chat(serving, key)).text()).toContain("[DONE]")
  server.crash()
  await until(() => serving.errors().includes("ledger_unavailable"))
  for (let index = 0; index < 10; index++) {
    expect(await (await chat(serving, key)).text()).toContain("[DONE]")
  }
  expect((await fetch(`${serving.url}/readyz`)).status).toBe(200)
  serving.process.kill("SIGKILL")
  await serving.process.exited
  expect(journalState(left.data)?.waiting).toBeGreaterThanOrEqual(10)

  await server.restart()
  await using again = await startServing(left)
  expect(await (await chat(again, key)).text()).toContain("[DONE]")
  again.process.kill("SIGTERM")
  expect(await again.process.exited).toBe(0)
  expect(journalState(left.data)).toEqual({ waiting: 0, oldest: null, rejected: 0 })
  const { entries } = await runJson<{ entries: number }>(left, "ledger", "verify")
  // The entries are the grant and twelve chats.
  expect(entries).toBe(13)
})
