import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { createInstallation, type Installation, runJson, startServing } from "../support/process.ts"
import { until } from "../support/until.ts"

const MEGABYTE = 1024 * 1024
const MEMORY_MB = 128
/** Maximum growth of the process's memory: the counted part, and garbage that has not been collected yet. */
const MAX_GROWTH = 2.5 * MEMORY_MB
/** No other caller waits longer, on a busy machine too. Milliseconds. */
const MAX_WAIT_MS = 1_500
const DEEP = "[".repeat(200_000) + "]".repeat(200_000)

function yamlFor(vendorUrl: string): string {
  const at = (path: string): string =>
    `{ vendor: openai-compatible, base_url: "${vendorUrl}/${path}" }`
  const model = "{ price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }"
  const kinds = ["good", "bomb", "deep", "endless"]
  return `
server: { host: 127.0.0.1, port: 0 }
limits: { memory_mb: ${MEMORY_MB} }
providers:
${kinds.map((kind) => `  ${kind}: ${at(kind)}`).join("\n")}
models:
${kinds.map((kind) => `  ${kind}/m: ${model}`).join("\n")}
`
}

/** Starts a vendor with one normal model and three hostile models. */
function startVendor(): Bun.Server<undefined> {
  const bomb = gzipSync(Buffer.alloc(900 * MEGABYTE, "a"))
  const chunk = Buffer.alloc(256 * 1024, "a")
  const json = { "content-type": "application/json" }
  const responses: Readonly<Record<string, () => Response>> = {
    bomb: () =>
      new Response(new Uint8Array(bomb), { headers: { ...json, "content-encoding": "gzip" } }),
    deep: () => new Response(`{"choices":${DEEP}}`, { headers: json }),
    endless: () => {
      let left = 3 * 1024 * 4
      const body = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            if (left-- > 0) controller.enqueue(chunk)
            else controller.close()
          },
        },
        { highWaterMark: 0 },
      )
      return new Response(body, { headers: json })
    },
  }
  const message = { role: "assistant", content: "Hello" }
  const good = {
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      await request.arrayBuffer()
      const [, kind = ""] = new URL(request.url).pathname.split("/")
      return responses[kind]?.() ?? Response.json(good)
    },
  })
}

async function keyOf(installation: Installation, account: string): Promise<string> {
  await runJson(installation, "account", "create", account, "--credits", "100")
  const made = await runJson<{ key: string }>(installation, "key", "create", "--account", account)
  return made.key
}

/** Returns the megabytes of memory that a process uses. */
function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024
}

interface Witnessed {
  readonly served: number
  readonly longest: number
  readonly failures: readonly string[]
}

/** Starts another caller in a separate process. */
function startWitness(url: string, key: string): { end(): Promise<Witnessed> } {
  const program = Bun.fileURLToPath(new URL("witness.ts", import.meta.url))
  const words = [process.execPath, program, `${url}/v1/chat/completions`, key, "good/m"]
  const child = Bun.spawn(words, { stdin: "pipe", stdout: "pipe", stderr: "inherit" })
  return {
    async end() {
      await child.stdin.end()
      return (await new Response(child.stdout).json()) as Witnessed
    },
  }
}

/** Measures the maximum memory that a process uses. */
class Peak implements Disposable {
  megabytes = 0
  readonly #timer: Timer

  constructor(pid: number) {
    this.#timer = setInterval(() => {
      this.megabytes = Math.max(this.megabytes, memoryOf(pid))
    }, 20)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

/** Starts a separate process that sends bodies without an end. */
function startBodies(url: string, key: string, count: number): Disposable {
  const program = Bun.fileURLToPath(new URL("unfinished-bodies.ts", import.meta.url))
  const child = Bun.spawn([process.execPath, program, url, key, String(count)])
  return { [Symbol.dispose]: () => child.kill() }
}

test.skipIf(process.platform !== "linux")(
  "memory stays bounded for any input of callers and vendors, and another caller is served",
  async () => {
    using installation = createInstallation("")
    await using vendor = startVendor()
    const { config } = installation
    await Bun.write(config, yamlFor(`http://127.0.0.1:${vendor.port}`))
    const good = await keyOf(installation, "good")
    const bad = await keyOf(installation, "bad")
    const worse = await keyOf(installation, "worse")
    await using serving = await startServing(installation)
    const { pid } = serving.process
    const ask = (key: string, model: string, extra = ""): Promise<Response> =>
      fetch(`${serving.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: `{"model":"${model}","messages":[{"role":"user","content":"Hello"}]${extra}}`,
      })
    for (let warm = 0; warm < 200; warm++) await (await ask(good, "good/m")).text()
    const rest = memoryOf(pid)
    const witness = startWitness(serving.url, good)
    using peak = new Peak(pid)
    const bodies = startBodies(serving.url, bad, 60)
    const statuses: Record<string, number[]> = {}
    const note = async (kind: string, asked: Promise<Response>): Promise<void> => {
      const response = await asked
      await response.text()
      ;(statuses[kind] ??= []).push(response.status)
    }
    for (let round = 0; round < 12; round++) {
      await Promise.all([
        note("deep body", ask(bad, "good/m", `,"x":${DEEP}`)),
        note("wide body", ask(bad, "good/m", `,"x":[${"{},".repeat(3 * MEGABYTE)}{}]`)),
        ...["bomb", "bomb", "deep", "endless", "endless"].map((kind) =>
          note(kind, ask(worse, `${kind}/m`)),
        ),
      ])
    }
    const { served, longest, failures } = await witness.end()
    bodies[Symbol.dispose]()
    console.log(
      `at rest ${rest.toFixed(0)} MB, at most ${peak.megabytes.toFixed(0)} MB, ${served} served meanwhile, the longest wait ${longest.toFixed(0)} ms`,
      statuses,
    )
    expect(failures).toEqual([])
    expect(served).toBeGreaterThan(50)
    expect(longest).toBeLessThan(MAX_WAIT_MS)
    expect(peak.megabytes - rest).toBeLessThan(MAX_GROWTH)
    for (const status of [...(statuses["deep body"] ?? []), ...(statuses["wide body"] ?? [])]) {
      expect([400, 503]).toContain(status)
    }
    for (const kind of ["bomb", "deep", "endless"]) {
      for (const status of statuses[kind] ?? [0]) expect([502, 503]).toContain(status)
    }
    // The memory of unfinished bodies is released once the gateway has noticed that their sender has disconnected.
    await until(async () => (await ask(bad, "good/m")).status === 200)
  },
)
