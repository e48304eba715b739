import { afterAll, beforeAll, expect, test } from "bun:test"
import { helloUntil, startVendor } from "../relay/scripted-vendor.ts"
import { PostgresServer } from "../support/postgres-server.ts"
import {
  createInstallation,
  type Installation,
  runJson,
  type ServingProcess,
  startServing,
} from "../support/process.ts"
import { until } from "../support/until.ts"

const LIMIT = 5
const SENT = 60

let server: PostgresServer
beforeAll(async () => {
  server = await PostgresServer.start({ isDurable: true })
})
afterAll(() => server[Symbol.asyncDispose]())

test("three machines together enforce a key's limit of concurrent requests", async () => {
  const end = Promise.withResolvers<void>()
  using vendor = startVendor(() => helloUntil(end.promise))
  const yaml = `
server: { port: 0 }
database: { url: "${server.url(await server.create())}", connections: 5 }
providers:
  vendor: { vendor: openai-compatible, api_key: upstream, base_url: "${vendor.url}" }
models:
  vendor/echo: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }
`
  await using opened = new AsyncDisposableStack()
  const machines: { readonly installation: Installation; readonly serving: ServingProcess }[] = []
  for (let count = 0; count < 3; count++) {
    const installation = opened.use(createInstallation(yaml))
    machines.push({ installation, serving: opened.use(await startServing(installation)) })
  }
  const [first] = machines
  if (!first) throw new Error("no machine")
  const { installation } = first
  await runJson(installation, "account", "create", "caller", "--credits", "10")
  const made = await runJson<{ key: string; id: string }>(
    installation,
    "key",
    "create",
    "--account",
    "caller",
    "--concurrent",
    String(LIMIT),
  )
  const ask = (index: number): Promise<Response> =>
    fetch(`${machines[index % machines.length]?.serving.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${made.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "vendor/echo",
        stream: true,
        messages: [{ role: "user", content: "Hello" }],
      }),
      keepalive: false,
    })
  // Waits until each machine has loaded the key and the list of machines.
  for (let index = 0; index < machines.length; index++) {
    await until(async () => {
      const { serving } = machines[index] ?? first
      const headers = { authorization: `Bearer ${made.key}` }
      return (await fetch(`${serving.url}/v1/credits`, { headers })).ok
    })
  }
  const responses = await Promise.all(Array.from({ length: SENT }, (_, index) => ask(index)))
  const statuses = responses.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT)
  expect(statuses.filter((status) => status === 429)).toHaveLength(SENT - LIMIT)
  end.resolve()
  await Promise.all(responses.map((response) => response.text()))
  await until(async () => (await ask(1)).status === 200)
})
