import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { databaseFileIn } from "../../src/store/sqlite/database-file.ts"
import { sampleOf } from "../support/exhaustive.ts"
import {
  DONE,
  frame,
  startVendor,
  streamed,
  usageFrame,
  WHOLE_STREAM,
} from "../relay/scripted-vendor.ts"
import {
  createInstallation,
  type Installation,
  runJson,
  type ServingProcess,
  startServing,
} from "../support/process.ts"
import { endBySignals } from "../support/stopping.ts"
import { until } from "../support/until.ts"

/** Returns the environment in which a program loads a module first. */
function preloading(module: URL): Record<string, string> {
  return { BUN_OPTIONS: `--preload=${Bun.fileURLToPath(module)}` }
}

const SPINNING = preloading(new URL("../support/spinning.ts", import.meta.url))
const CAPPED_CLOCK = preloading(new URL("../support/capped-clock.ts", import.meta.url))

const yaml = (url: string) => `
server: { port: 0 }
providers:
  vendor: { vendor: openai-compatible, api_key: upstream, base_url: "${url}" }
models:
  vendor/echo: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }
`

/** Starts a vendor whose response can block the gateway's event loop. */
function startHostile() {
  return startVendor((_, number) =>
    number === 1
      ? streamed([frame("spin-forever"), frame("", "stop"), DONE])
      : streamed([WHOLE_STREAM]),
  )
}

async function createCaller(installation: Installation): Promise<string> {
  await runJson(installation, "account", "create", "caller", "--credits", "1")
  return (await runJson<{ key: string }>(installation, "key", "create", "--account", "caller")).key
}

function chat(serving: ServingProcess, key: string): Promise<Response> {
  return fetch(`${serving.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      connection: "close",
    },
    body: JSON.stringify({
      model: "vendor/echo",
      stream: true,
      messages: [{ role: "user", content: "Hello" }],
    }),
  })
}

/** Waits until the watchdog threads are running. A watchdog starts one second after its process. */
function untilWatched(serving: ServingProcess, processes: number): Promise<void> {
  return until(() => serving.errors().split("the watchdog watches").length > processes)
}

/** Whether the gateway answers. */
async function isAlive(serving: ServingProcess): Promise<boolean> {
  try {
    const response = await fetch(`${serving.url}/healthz`, { headers: { connection: "close" } })
    await response.text()
    return response.ok
  } catch {
    return false
  }
}

function stuckLine(serving: ServingProcess): Record<string, unknown> {
  const line = serving
    .errors()
    .split("\n")
    .find((text) => text.includes("loop_stuck"))
  return JSON.parse(line ?? "{}") as Record<string, unknown>
}

function nodesOf(installation: Installation): number[] {
  using database = new Database(databaseFileIn(installation.data), { readonly: true })
  database.run("PRAGMA busy_timeout = 5000")
  return database
    .query<{ process: number }, []>("SELECT process FROM nodes")
    .all()
    .map((node) => node.process)
}

for (const workers of sampleOf(["1", "2"], 2)) {
  test.concurrent(`a blocked event loop is reported with its request, and its process is restarted: ${workers} worker(s)`, async () => {
    using vendor = startHostile()
    using installation = createInstallation(yaml(vendor.url))
    const key = await createCaller(installation)
    await using serving = await startServing(installation, {
      ...SPINNING,
      TOLLGATE_WORKERS: workers,
      TOLLGATE_WATCHDOG: "1s",
    })
    await untilWatched(serving, Number(workers))
    const stopped = chat(serving, key).then(
      (response) => response.text(),
      (error: unknown) => error,
    )
    await until(() => serving.errors().includes("loop_stuck"))
    expect(stuckLine(serving)).toMatchObject({
      level: 60,
      endpoint: "/v1/chat/completions",
      model: "vendor/echo",
      phase: "reading the response",
      request: expect.stringMatching(/^req_[\w-]+$/),
      state: "computes",
    })
    await stopped
    // A connection to a process that is ending would be cut, so the test waits for the new process.
    await untilWatched(serving, Number(workers) + 1)
    await until(() => isAlive(serving))
    await until(() => nodesOf(installation).length === Number(workers))
    const answer = await chat(serving, key)
    expect(await answer.text()).toContain("[DONE]")
    expect(serving.process.exitCode).toBeNull()
    serving.process.kill("SIGTERM")
    expect(await serving.process.exited).toBe(0)
  })
}

test.concurrent("a process whose event loop is blocked during shutdown is not restarted", async () => {
  const gate = Promise.withResolvers<void>()
  const encoder = new TextEncoder()
  using vendor = startVendor(() => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(encoder.encode(frame("Hello")))
        await gate.promise
        controller.enqueue(encoder.encode(frame("spin-forever")))
      },
    })
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  })
  using installation = createInstallation(yaml(vendor.url))
  const key = await createCaller(installation)
  const serving = await startServing(installation, { ...SPINNING, TOLLGATE_WATCHDOG: "1s" })
  await untilWatched(serving, 1)
  const running = await chat(serving, key)
  const text = running.text().catch((error: unknown) => error)
  serving.process.kill("SIGTERM")
  await until(() => serving.errors().includes("Finishing running requests"))
  gate.resolve()
  await serving.process.exited
  expect(serving.errors()).toContain("loop_stuck")
  expect(serving.output().split("listening on")).toHaveLength(2)
  await text
})

test.concurrent("a worker that is blocked for too long is killed", async () => {
  using vendor = startVendor(() => streamed([WHOLE_STREAM]))
  using installation = createInstallation(yaml(vendor.url))
  await createCaller(installation)
  await using serving = await startServing(installation, {
    ...CAPPED_CLOCK,
    TOLLGATE_WORKERS: "2",
    TOLLGATE_WATCHDOG: "3s",
  })
  const [victim = 0] = nodesOf(installation)
  process.kill(victim, "SIGSTOP")
  await until(() => serving.errors().includes("worker_killed"))
  await until(() => nodesOf(installation).length === 2 && !nodesOf(installation).includes(victim))
})

test.concurrent("a second signal ends the gateway without waiting for running requests", async () => {
  // With this usage, the gateway needs no tokenizer, which takes long to load on a busy machine.
  const begin = frame("Hello") + usageFrame(5, 1)
  using vendor = startVendor(
    () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode(begin)),
        }),
        { headers: { "content-type": "text/event-stream" } },
      ),
  )
  for (const workers of sampleOf(["1", "2"], 2, 1)) {
    using installation = createInstallation(yaml(vendor.url))
    const key = await createCaller(installation)
    await using serving = await startServing(installation, {
      ...CAPPED_CLOCK,
      TOLLGATE_WORKERS: workers,
    })
    const running = await chat(serving, key)
    const text = running.text()
    serving.process.kill("SIGTERM")
    await until(() => serving.errors().includes("Finishing running requests"))
    await endBySignals(serving.process, "SIGTERM")
    expect(await text).toContain("overloaded")
    expect(await serving.process.exited).toBe(0)
  }
})
