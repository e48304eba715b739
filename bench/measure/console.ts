import { DAY_MS } from "#contract/durations.ts"
import { join } from "node:path"
import {
  createInstallation,
  type Installation,
  runJson,
  startListening,
  type ServingProcess,
} from "../../test/support/process.ts"
import { PostgresServer } from "../../test/support/postgres-server.ts"
import {
  barCalls,
  explorerCalls,
  fileCalls,
  type Known,
  listCalls,
  pageCalls,
  usageCalls,
} from "../console/calls.ts"
import { accountName, MODEL_NAMES, PROVIDERS } from "../console/history.ts"
import { timePageChanges } from "../console/page-changes.ts"
import { seedHistory } from "../console/seed.ts"
import {
  ask,
  askJson,
  type CallTime,
  type ManagementApi,
  timeCall,
  timeFile,
  timePages,
} from "../console/time-calls.ts"
import { RESPONSE_TOKENS, chatBody } from "../load/request.ts"
import { timeResponses } from "../load/time-responses.ts"
import { onAllCores } from "../machine.ts"
import type { Effort } from "../options.ts"
import { familyOf, residentMemory } from "../processor.ts"
import { quantile } from "../statistics.ts"
import { cleanEnvironment } from "../subjects/server-process.ts"
import { type Address, CHAT_PATH } from "../subjects/subject.ts"
import { startUpstream, type Upstream } from "../upstream.ts"

const TOLLGATE = join(import.meta.dir, "../../bin/tollgate")
const HISTORY_DAYS = 31
const TOKEN = "a-token-of-the-bench-for-the-management-api"
const KILOBYTES = 1_024
/** Number of pages that are read from a list. */
const DEEP = 40
const FAST_SERVER = ["-c", "shared_buffers=256MB", "-c", "max_wal_size=4GB"]

export type ConsoleEngine = "sqlite" | "postgresql"

/** Times of the console with a long history, in milliseconds. */
export interface ConsoleResult {
  readonly engine: ConsoleEngine
  readonly requests: number
  readonly calls: readonly CallTime[]
  readonly pages: readonly CallTime[]
  /** Times of a chat on one connection: alone, and during all calls of the console. */
  readonly chat: { readonly alone: ChatTimes; readonly beside: ChatTimes }
  /** Resident memory in MB, before the first call and after the last call. */
  readonly memory: { readonly before: number; readonly after: number }
}

interface ChatTimes {
  readonly median: number
  readonly p99: number
}

/** Measures the management API and the pages of the console with a month of requests, on each engine. */
export async function measureConsole({
  consoleRequests: requests,
  consoleTimes: times,
}: Effort): Promise<readonly ConsoleResult[]> {
  await using upstream = await startUpstream(0)
  using sqlite = createInstallation(settings(upstream))
  const now = Date.now()
  await seedHistory(sqlite.data, { requests, from: now - HISTORY_DAYS * DAY_MS, to: now })
  const key = await createKey(sqlite)
  await using server = await PostgresServer.start({ isDurable: true, parameters: FAST_SERVER })
  const url = server.url(await server.create())
  await runJson(sqlite, "database", "copy", "--from", "sqlite", "--to", url)
  using settingsFile = createInstallation(`${settings(upstream)}database: { url: "${url}" }\n`)
  // Both engines use the same data folder, because it contains the secrets of the keys.
  const postgresql = { ...settingsFile, data: sqlite.data }
  const plan = { requests, times, now, key }
  return [
    await measureOn(sqlite, { ...plan, engine: "sqlite" }),
    await measureOn(postgresql, { ...plan, engine: "postgresql" }),
  ]
}

/** Creates an account that pays for chats in addition to the history. */
async function createKey(installation: Installation): Promise<string> {
  const account = ["--account", "bench", "--name", "bench"]
  await runJson(installation, "account", "create", "bench", "--credits", "1000", "--yes")
  return (await runJson<{ key: string }>(installation, "key", "create", ...account)).key
}

interface ConsolePlan {
  readonly engine: ConsoleEngine
  readonly requests: number
  readonly times: number
  /** End of the history in Unix milliseconds. */
  readonly now: number
  /** The key that pays for the chats. */
  readonly key: string
}

async function measureOn(
  installation: Installation,
  { engine, requests, times, now, key }: ConsolePlan,
): Promise<ConsoleResult> {
  await using gateway = await serve(installation)
  const api = { url: `${gateway.url}/admin/v1`, token: TOKEN }
  await settled(api, requests, now)
  const before = memoryOf(gateway)
  const known = await knownOf(api, now)
  const pages = await timePageChanges(
    {
      url: gateway.url,
      setupLink: /console: (\S+)/.exec(gateway.output())?.[1] ?? "",
      accounts: { "all accounts": "all", "one account": accountName(0) },
    },
    times,
  )
  const calls: CallTime[] = []
  for (const call of answerCalls(known)) calls.push(await timeCall(api, call, times))
  for (const call of listCalls(known)) {
    if (call.name === "list: nothing") calls.push(await timePages(api, call, DEEP))
  }
  for (const call of fileCalls(known)) calls.push(await timeFile(api, call, times))
  const after = memoryOf(gateway)
  return {
    engine,
    requests,
    calls,
    pages,
    chat: await timeChats(gateway, { key, api, known }),
    memory: { before, after },
  }
}

function answerCalls(known: Known) {
  return [
    ...listCalls(known),
    ...barCalls(known),
    ...usageCalls(known),
    ...explorerCalls(known),
    ...pageCalls(known),
  ]
}

function serve({ config, data }: Installation): Promise<ServingProcess> {
  const command = [TOLLGATE, "--config", config, "--data", data, "serve"]
  return startListening([...onAllCores(), ...command], {
    ...cleanEnvironment(),
    TOLLGATE_PORT: "0",
  })
}

function memoryOf({ process }: ServingProcess): number {
  return residentMemory(familyOf(process.pid)) / KILOBYTES
}

/** Waits until the reports contain all requests. On their first start, they read the whole ledger. */
async function settled(api: ManagementApi, requests: number, now: number): Promise<void> {
  const [from, to] = [now - (HISTORY_DAYS + 1) * DAY_MS, now + DAY_MS].map((at) =>
    new Date(at).toISOString(),
  )
  for (;;) {
    const path = `/usage?group=day&from=${from}&to=${to}`
    const { total } = await askJson<{ total: { requests: number } }>(api, path)
    // Tags of requests are indexed later than their sums.
    const { data } = await askJson<Counted>(api, `${path}&tag=${encodeURIComponent("feature=f0")}`)
    const days = new Set(data.map(({ group }) => group))
    if (total.requests >= requests && days.size >= HISTORY_DAYS) return
  }
}

interface Counted {
  readonly data: readonly { readonly group: string }[]
}

interface Listed {
  readonly data: readonly { readonly id: string; readonly session?: string }[]
}

async function knownOf(api: ManagementApi, now: number): Promise<Known> {
  const to = new Date(now - DAY_MS).toISOString()
  const { data } = await askJson<Listed>(api, `/receipts?to=${to}&limit=50`)
  const one = data.find(({ session }) => session !== undefined)
  if (one?.session === undefined) throw new Error("no request of the history has a session")
  return { now, request: one.id, session: one.session }
}

/** Measures chats on one connection while the console makes one call after another. */
async function timeChats(
  { url }: ServingProcess,
  { key, api, known }: { readonly key: string; readonly api: ManagementApi; readonly known: Known },
): Promise<ConsoleResult["chat"]> {
  const address: Address = {
    port: Number(new URL(url).port),
    path: CHAT_PATH,
    headers: { authorization: `Bearer ${key}` },
    model: () => "bench/echo",
  }
  const body = chatBody("bench/echo", RESPONSE_TOKENS, false)
  await timeResponses(address, body, CHATS)
  const alone = await chatTimes(address, body)
  const over = new AbortController()
  const asking = (async () => {
    while (!over.signal.aborted) {
      for (const { path } of answerCalls(known)) {
        if (over.signal.aborted) return
        await (await ask(api, path)).arrayBuffer()
      }
    }
  })()
  const beside = await chatTimes(address, body)
  over.abort()
  await asking
  return { alone, beside }
}

const CHATS = 3_000

async function chatTimes(address: Address, body: string): Promise<ChatTimes> {
  const took = (await timeResponses(address, body, CHATS)).map(({ whole }) => whole / 1_000)
  return { median: quantile(took, 0.5), p99: quantile(took, 0.99) }
}

function settings({ baseUrl }: Upstream): string {
  const price = "price: { input: 0.10, output: 0.40 }"
  const models = MODEL_NAMES.map((name) => `  ${name}: { kind: chat, ${price} }\n`)
  const providers = Array.from(
    { length: PROVIDERS },
    (_, index) =>
      `  vendor-${index}: { vendor: openai-compatible, base_url: "${baseUrl}", api_key: upstream }\n`,
  )
  return `server: { host: 127.0.0.1 }
admin_token: ${TOKEN}
providers:
  bench: { vendor: openai-compatible, base_url: "${baseUrl}", api_key: upstream }
${providers.join("")}models:
  bench/echo: { kind: chat, ${price}, context: 131072, max_output: 8192 }
${models.join("")}`
}
