import { existsSync, readFileSync } from "node:fs"
import { afterAll, beforeAll, expect, test } from "bun:test"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { connectTo } from "../relay/raw-caller.ts"
import { sampleOf } from "../support/exhaustive.ts"
import {
  createInstallation,
  type Installation,
  runJson,
  type ServingProcess,
  startServing,
} from "../support/process.ts"
import { endBySignals } from "../support/stopping.ts"
import { until } from "../support/until.ts"
import { startLoad } from "./steady-load.ts"

let simulator: Simulator
let installation: Installation
let key: string

beforeAll(async () => {
  simulator = startSimulator()
  installation = createInstallation(yamlFor(simulator.url))
  await runJson(installation, "account", "create", "caller", "--credits", "100")
  key = (await runJson<{ key: string }>(installation, "key", "create", "--account", "caller")).key
})

afterAll(async () => {
  installation[Symbol.dispose]()
  await simulator.stop()
})

const yamlFor = (url: string): string => `
server: { port: 0, drain_delay: 500ms, drain: 60s }
providers:
  sim: { vendor: openai-compatible, api_key: upstream, base_url: "${url}/v1" }
models:
  sim/echo: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }
`

/** Starts a gateway on the port of another gateway, or on a free port. */
function replace(
  serving?: ServingProcess,
  workers = 1,
  installed = installation,
  variables: Record<string, string> = {},
): Promise<ServingProcess> {
  const port = serving ? new URL(serving.url).port : "0"
  const environment = { TOLLGATE_PORT: port, TOLLGATE_WORKERS: String(workers), ...variables }
  return startServing(installed, environment, undefined, ["--replace"])
}

const CALLERS = 8

/** Whether the kernel moves connections that a closing process has not accepted to another process on the port. */
function migratesConnections(): boolean {
  const setting = "/proc/sys/net/ipv4/tcp_migrate_req"
  return existsSync(setting) && readFileSync(setting, "utf8").trim() === "1"
}

test.concurrent.each(sampleOf([1, 2], 2))(
  "a gateway replaces another gateway under load without losing a request (workers: %p)",
  async (workers) => {
    const first = await replace(undefined, workers)
    const load = startLoad({ url: first.url, key, model: "sim/echo", callers: CALLERS })
    await using _ = await replace(first, workers)
    expect(await first.process.exited).toBe(0)
    const { served } = load
    await until(() => load.served > served + 20)
    await load.end()
    // Each process that closes its port may reset, for each caller, one connection that it has not accepted.
    const resets = load.failures.filter((failure) => !failure.includes("HTTP/1.1"))
    expect(load.failures).toEqual(resets)
    expect(resets.length).toBeLessThanOrEqual(migratesConnections() ? 0 : CALLERS * workers)
  },
)

test.concurrent("a gateway without a drain delay warns that its replacement may cause failed requests", async () => {
  const environment = { TOLLGATE_DRAIN_DELAY: "0" }
  const first = await startServing(installation, { ...environment, TOLLGATE_PORT: "0" })
  const { port } = new URL(first.url)
  await using second = await startServing(
    installation,
    { ...environment, TOLLGATE_PORT: port },
    undefined,
    ["--replace"],
  )
  expect(await first.process.exited).toBe(0)
  expect(second.errors()).toContain("server.drain_delay")
})

test.concurrent("during its drain delay, a replaced gateway closes idle connections after one more response", async () => {
  const first = await replace(undefined, 1, installation, { TOLLGATE_DRAIN_DELAY: "60s" })
  using idle = connectTo(first.url)
  const ask = "GET /healthz HTTP/1.1\r\nhost: gateway\r\n\r\n"
  idle.socket.write(ask)
  await until(() => idle.text().includes("ok"))
  await using _ = await replace(first)
  await until(() => first.errors().includes("Finishing"))
  idle.socket.write(ask)
  await until(() => idle.socket.closed)
  expect(idle.text().toLowerCase()).toContain("connection: close")
  await endBySignals(first.process, "SIGTERM")
  expect(await first.process.exited).toBe(0)
})

test.concurrent("a gateway does not replace a gateway with a different data folder", async () => {
  using other = createInstallation(yamlFor(simulator.url))
  await using serving = await replace()
  const rejected = replace(serving, 1, other).then(String, String)
  expect(await rejected).toContain("cannot listen on")
  expect((await fetch(`${serving.url}/readyz`)).status).toBe(200)
})
