import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import OpenAI from "openai"
import { AUDIT } from "../store/audit-record.ts"
import type { AccountRecord } from "../../src/store/accounts.ts"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { App } from "../../src/app.ts"
import type { ModelSettings, ProviderSettings, Settings } from "../../src/config/settings.ts"
import { type KeyInput, KeyIssuer } from "./key-issuer.ts"
import type { Pace } from "../../src/http/incoming-body.ts"
import { randomText } from "../../src/canon/random-text.ts"
import { KeyHasher } from "../../src/keys/secret.ts"
import { parseCredits } from "../../src/ledger/money.ts"
import type { EventLoopMonitor } from "../../src/relay/lifetime/event-loop-monitor.ts"
import { WorkerPool } from "../../src/workers/worker-pool.ts"
import type { Store } from "../../src/store/store.ts"
import { databaseOf } from "../../src/store/installation-database.ts"
import type { Events } from "../../src/telemetry/events.ts"
import { DEFAULTS } from "./settings.ts"
import { copyMigratedDatabase } from "./sqlite-template.ts"
import { until } from "./until.ts"

/** Everything that the gateway has reported to its operator, by the name of the event. */
export type Heard = { readonly name: keyof Events; readonly facts: readonly unknown[] }[]

/** A gateway on a real port with a real ledger. The simulator is its vendor. */
export interface TestGateway extends AsyncDisposable {
  readonly url: string
  readonly app: App
  readonly store: Store
  readonly simulator: Simulator
  readonly heard: Heard
  readonly settings: Settings
  /** Creates a new account with credits and a key. */
  caller(credits?: string, order?: Partial<KeyInput>): Promise<TestCaller>
}

export interface TestCaller {
  readonly account: AccountRecord
  readonly key: string
  readonly keyId: string
  readonly client: OpenAI
  /** Returns the balance in the ledger. */
  balance(): Promise<bigint>
  /** Sends a raw request with this caller's key. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
  get(path: string): Promise<Response>
}

export interface GatewayOptions {
  readonly models?: Readonly<Record<string, ModelSettings>>
  readonly providers?: Readonly<Record<string, ProviderSettings>>
  /** Returns further providers at the simulator, whose address is not known earlier. */
  readonly providersAt?: (simulatorUrl: string) => Readonly<Record<string, ProviderSettings>>
  readonly settings?: Partial<Settings>
  /** Whether the ledger is written on a separate thread, as when several processes share it. */
  readonly isShared?: boolean
  /** Delay before the drain in milliseconds. */
  readonly drainDelay?: number
  /** Duration of the drain in milliseconds. */
  readonly drainTime?: number
  readonly keepAlive?: number
  /** The minimum rate at which bodies must arrive. */
  readonly pace?: Pace
  /** The clock by which idempotency keys expire. */
  readonly now?: () => number
  /** The monitor that is notified each time the gateway checks its deadlines. */
  readonly monitor?: EventLoopMonitor
  /** Interval in milliseconds between checks for notices. */
  readonly noticePace?: number
  /** Interval in milliseconds between checks for newer prices. */
  readonly pricePace?: number
}

/** Time in milliseconds that no test reaches. */
const NEVER = 1_000_000

/** Deadlines that a provider meets even on a busy machine. */
export const UNREACHED_TIMEOUTS: Settings["timeouts"] = {
  connect: 60_000,
  firstByte: 120_000,
  idle: 120_000,
  total: 240_000,
}

/**
 * Deadlines for gateways whose callers disconnect from endless responses. The gateway reads such a response until a
 * deadline.
 */
export const SHORT_TIMEOUTS: Settings["timeouts"] = {
  connect: 5_000,
  firstByte: 4_000,
  idle: 4_000,
  total: 60_000,
}

/** The worker pool that all gateways of this process share. Its threads may wait for the processor. */
const pool = new WorkerPool({ maxWaitMs: 60_000 })

/** One credit per million input tokens and two credits per million output tokens, for simple arithmetic. */
export const PLAIN_PRICE = { input: "1", cached_input: "0.5", output: "2" } as const

/** Returns a chat model of the simulator with simple prices. */
export function simulated(model: Partial<ModelSettings> = {}): ModelSettings {
  return { kind: "chat", price: PLAIN_PRICE, context: 100_000, maxOutput: 1_000, ...model }
}

export function provider(baseUrl: string, vendor = "openai-compatible"): ProviderSettings {
  return { vendor, apiKey: "upstream", baseUrl, headers: {}, knownModels: false, origin: "file" }
}

/** Starts a gateway. Dispose of it with `await using`. */
export async function startGateway(options: GatewayOptions = {}): Promise<TestGateway> {
  const data = mkdtempSync(join(tmpdir(), "tollgate-test-"))
  if (options.settings?.database === undefined) copyMigratedDatabase(data)
  const simulator = startSimulator()
  const heard: Heard = []
  const settings = settingsFor(data, simulator, options)
  const { isShared = false, keepAlive = 15_000, pace, monitor } = options
  const events = recorder(heard)
  const { now = Date.now, noticePace = NEVER, pricePace } = options
  const timing = {
    keepAlive,
    now,
    noticePace,
    ...(pricePace && { pricePace }),
    ...(pace && { pace }),
    ...(monitor && { monitor }),
  }
  const app = await App.start({ settings, events, isShared, pool, ...timing })
  const installed = databaseOf(settings)
  const store = await installed.openStore()
  const hasher = new KeyHasher((await installed.openSecrets()).readOrCreate("key-pepper"))
  return {
    url: app.url,
    app,
    store,
    simulator,
    heard,
    settings,
    caller: (credits = "10", order = {}) =>
      newCaller({ hasher, store, url: app.url }, credits, order),
    async [Symbol.asyncDispose]() {
      await simulator.stop()
      await app[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

function settingsFor(data: string, simulator: Simulator, options: GatewayOptions): Settings {
  return {
    ...DEFAULTS,
    server: {
      ...DEFAULTS.server,
      port: 0,
      drainDelay: options.drainDelay ?? 0,
      drain: options.drainTime ?? 30_000,
      watchdog: 0,
    },
    data,
    notices: { allowsPrivate: true },
    limits: {
      ...DEFAULTS.limits,
      bodyBytes: 4 * 1024 * 1024,
      mediaBytes: 4 * 1024 * 1024,
      responseBytes: 1 << 26,
    },
    timeouts: UNREACHED_TIMEOUTS,
    routing: { ...DEFAULTS.routing, retries: 0 },
    providers: {
      sim: provider(`${simulator.url}/v1`),
      ...options.providers,
      ...options.providersAt?.(simulator.url),
    },
    models: { "sim/echo": simulated(), ...options.models },
    ...options.settings,
  }
}

/** Records the gateway's events. */
export function recorder(heard: Heard): Events {
  return new Proxy({} as Events, {
    get:
      (_, name) =>
      (...facts: unknown[]) => {
        // Errors that callers receive are not reported to the operator.
        if (name !== "errorAnswered") heard.push({ name: name as keyof Events, facts })
      },
  })
}

async function newCaller(
  gateway: { readonly hasher: KeyHasher; readonly store: Store; readonly url: string },
  credits: string,
  order: Partial<KeyInput>,
): Promise<TestCaller> {
  const { hasher, store, url } = gateway
  const now = Date.now()
  const name = `account-${randomText(8)}`
  const account = await store.accounts.create({ id: `acc_${name}`, name, createdAt: now }, AUDIT)
  const amount = parseCredits(credits)
  if (amount > 0n) {
    const grant = { account: account.id, kind: "grant", amount, at: now } as const
    await store.entries.add({ ...grant, note: null, author: null }, AUDIT)
  }
  const issuer = new KeyIssuer(store, hasher)
  const { secret, key } = await issuer.issue({ account: account.id, name: "test", ...order })
  await keyIsKnown(url, secret)
  const authorization = `Bearer ${secret}`
  return {
    account,
    key: secret,
    keyId: key.id,
    client: new OpenAI({ apiKey: secret, baseURL: `${url}/v1`, maxRetries: 0 }),
    async balance() {
      return (await store.accounts.find(account.id))?.balance ?? 0n
    },
    post: (path, body, headers = {}) =>
      fetch(url + path, {
        method: "POST",
        headers: { authorization, "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    get: (path) => fetch(url + path, { headers: { authorization } }),
  }
}

/** Waits until a key is accepted, because a process loads changed keys within a second. */
async function keyIsKnown(url: string, secret: string): Promise<void> {
  const headers = { authorization: `Bearer ${secret}` }
  await until(async () => {
    const response = await fetch(`${url}/v1/credits`, { headers })
    await response.body?.cancel()
    return response.status !== 401
  })
}
