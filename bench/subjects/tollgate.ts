import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { version as packageVersion } from "../../package.json"
import type { Upstream } from "../upstream.ts"
import { prepareServer } from "./prepare-server.ts"
import { cleanEnvironment, temporaryDirectory } from "./server-process.ts"
import type { Prepared, Subject } from "./subject.ts"

const TOLLGATE = join(import.meta.dir, "../../bin/tollgate")
// Limits that are so high that every request is checked and no request is rejected.
const CREDITS = "1000000"
const REQUESTS_PER_MINUTE = "1000000000"
const TOKENS_PER_MINUTE = "1000000000000"

/** Tollgate with all features enabled: a key, a budget, both rate limits, holds, durable settlements and receipts. */
export const tollgate: Subject = {
  name: "tollgate",
  work: {
    language: "TypeScript on Bun",
    auth: "a key, with its budget and both rate limits",
    money: "a hold before the call, the exact charge after it",
    durability: "the charge is on disk before the last byte of the response is sent",
    log: "a receipt for each request, chained by hash",
  },
  missing: () => undefined,
  version: () => packageVersion,
  prepare: (upstream) => prepareTollgate(upstream, ""),
}

/**
 * @param lines settings lines that follow the lines of the models, such as further models or the address of the ledger.
 * @param fill writes the initial content of the data folder, which is empty by default.
 */
export async function prepareTollgate(
  upstream: Upstream,
  lines: string,
  fill?: (data: string) => Promise<void>,
): Promise<Prepared> {
  const directory = temporaryDirectory()
  const file = join(directory.path, "tollgate.yaml")
  const data = join(directory.path, "data")
  const write = (port: number): void => writeFileSync(file, settings(upstream, port) + lines)
  mkdirSync(data)
  await fill?.(data)
  write(0)
  const places = ["--config", file, "--data", data]
  await command([...places, "account", "create", "bench", "--credits", CREDITS, "--yes"])
  const limits = ["--rpm", REQUESTS_PER_MINUTE, "--tpm", TOKENS_PER_MINUTE]
  const order = ["key", "create", "--account", "bench", "--budget", CREDITS, ...limits]
  const { key } = await command([...places, ...order])
  return prepareServer(
    {
      name: "tollgate",
      healthPath: "/healthz",
      headers: { authorization: `Bearer ${key}` },
      model: (model) => `bench/${model}`,
      command(port) {
        write(port)
        return [TOLLGATE, ...places, "serve"]
      },
    },
    directory,
  )
}

/** Returns the settings lines of a chat model. */
export function modelFacts(id: string): string {
  return `  ${id}:
    kind: chat
    price: { input: 0.10, cached_input: 0.02, output: 0.40 }
    multiplier: 1.2
    context: 131072
    max_output: 8192
`
}

function settings(upstream: Upstream, port: number): string {
  return `server: { host: 127.0.0.1, port: ${port} }
providers:
  bench: { vendor: openai-compatible, base_url: "${upstream.baseUrl}", api_key: upstream }
  bench-gemini: { vendor: google, base_url: "${upstream.url}", api_key: upstream }
models:
  bench/embed: { kind: embedding, price: { input: 0.10 } }
  bench/transcribe: { kind: transcription, price: { second: 100 } }
${["bench/echo", "bench-gemini/echo", "bench/fault-stall"].map(modelFacts).join("")}`
}

async function command(words: readonly string[]): Promise<{ readonly key?: string }> {
  const child = Bun.spawn([TOLLGATE, "--json", ...words], {
    env: cleanEnvironment(),
    stdout: "pipe",
    stderr: "pipe",
  })
  const [output, complaint] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if ((await child.exited) !== 0)
    throw new Error(`tollgate ${words.join(" ")}: ${complaint}${output}`)
  return JSON.parse(output) as { key?: string }
}
