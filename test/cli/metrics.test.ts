import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { samplesOf, valueOf } from "../metrics/samples.ts"
import { freePort } from "../support/free-port.ts"
import { createInstallation, runJson, startServing } from "../support/process.ts"
import { until } from "../support/until.ts"

const TOKEN = "token-of-the-metrics"

let simulator: Simulator

beforeAll(() => {
  simulator = startSimulator()
})

afterAll(() => simulator.stop())

const yaml = (metrics: string) => `
server: { port: 0 }
metrics: ${metrics}
providers:
  sim: { vendor: openai-compatible, api_key: upstream, base_url: "${simulator.url}/v1" }
models:
  sim/echo: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }
`

async function chat(url: string, key: string): Promise<void> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      connection: "close",
    },
    body: JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: "Hello" }] }),
  })
  await response.text()
  expect(response.status).toBe(200)
}

async function scrape(address: string, token?: string) {
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
  const response = await fetch(address, { headers: { ...headers, connection: "close" } })
  if (!response.ok) throw new Error(`${address}: ${response.status}`)
  return samplesOf(await response.text())
}

describe("metrics of several workers", () => {
  test.concurrent("show totals of all workers at a separate port, and their counters never decrease", async () => {
    const port = freePort()
    using installation = createInstallation(yaml(`{ port: ${port} }`))
    await using serving = await startServing(installation, { TOLLGATE_WORKERS: "2" })
    const { key } = await runJson<{ key: string }>(
      installation,
      "key",
      "create",
      "--account",
      "demo",
    )
    const address = `http://127.0.0.1:${port}/metrics`
    const requests = async () => valueOf(await scrape(address), "tollgate_requests_total")
    for (let count = 0; count < 20; count++) await chat(serving.url, key)
    expect(await requests()).toBe(20)
    expect(valueOf(await scrape(address), "tollgate_processes")).toBe(2)
    const victim = await childOf(serving.process.pid)
    process.kill(victim, "SIGKILL")
    await until(async () => valueOf(await scrape(address), "tollgate_processes") === 1)
    expect(await requests()).toBe(20)
    await until(async () => valueOf(await scrape(address), "tollgate_processes") === 2)
    for (let count = 0; count < 5; count++) await chat(serving.url, key)
    expect(await requests()).toBe(25)
    expect((await fetch(`http://127.0.0.1:${port}/v1/models`)).status).toBe(404)
    expect((await fetch(address, { method: "POST" })).status).toBe(405)
    expect((await fetch(`${serving.url}/metrics`)).status).toBe(404)
  })

  test.concurrent("have the same values at each worker", async () => {
    using installation = createInstallation(yaml(`{ token: ${TOKEN} }`))
    await using serving = await startServing(installation, { TOLLGATE_WORKERS: "2" })
    const { key } = await runJson<{ key: string }>(
      installation,
      "key",
      "create",
      "--account",
      "demo",
    )
    for (let count = 0; count < 10; count++) await chat(serving.url, key)
    for (let count = 0; count < 6; count++) {
      const found = await scrape(`${serving.url}/metrics`, TOKEN)
      expect(valueOf(found, "tollgate_requests_total")).toBe(10)
    }
  })

  test.concurrent("do not wait for a blocked worker", async () => {
    const port = freePort()
    using installation = createInstallation(yaml(`{ port: ${port} }`))
    await using serving = await startServing(installation, { TOLLGATE_WORKERS: "2" })
    const address = `http://127.0.0.1:${port}/metrics`
    expect(valueOf(await scrape(address), "tollgate_processes")).toBe(2)
    const victim = await childOf(serving.process.pid)
    process.kill(victim, "SIGSTOP")
    try {
      expect(valueOf(await scrape(address), "tollgate_processes")).toBe(2)
    } finally {
      process.kill(victim, "SIGCONT")
    }
  })
})

test("a start with a metrics port in use reports the port", async () => {
  const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
  using installation = createInstallation(yaml(`{ port: ${taken.port} }`))
  const error: unknown = await startServing(installation).catch((thrown: unknown) => thrown)
  taken.stop(true)
  expect(String(error)).toContain(`cannot serve metrics on 127.0.0.1 port ${taken.port}`)
})

/** Returns the process id of a worker of a gateway. */
async function childOf(parent: number): Promise<number> {
  const text = await Bun.file(`/proc/${parent}/task/${parent}/children`).text()
  return Number(text.trim().split(" ")[0])
}
