import { SQL } from "bun"
import { PostgresServer } from "../../test/support/postgres-server.ts"
import { checkResponses } from "../load/check-response.ts"
import { startDistantProxy } from "../load/distant-proxy.ts"
import { RESPONSE_TOKENS, chatBody } from "../load/request.ts"
import { type ResponseTime, timeResponses } from "../load/time-responses.ts"
import type { Effort } from "../options.ts"
import { quantile, spreadOf, type Spread } from "../statistics.ts"
import type { Address, Running } from "../subjects/subject.ts"
import { prepareTollgate } from "../subjects/tollgate.ts"
import { startUpstream, type Upstream } from "../upstream.ts"
import { comparedTo, type ComparedCost } from "./compared.ts"
import { takeChatTurns } from "./processor-time.ts"
import { measureSettlements, type SettlementRate } from "./settlements.ts"

/** Round-trip time to the distant database in milliseconds. */
export const ROUND_TRIP = 20
/** Number of tokens in a streamed response. */
const STREAM_TOKENS = 10
const FAST_SERVER = ["-c", "shared_buffers=256MB", "-c", "max_wal_size=4GB"]
const WARM_UP_SHARE = 2

/** The database of a gateway, and how it settles requests. */
export type StoreName = "sqlite" | "postgresql" | "postgresql, journal"

/** The added latency compared with SQLite in the same round, in microseconds. */
export interface StoreLatency {
  readonly store: StoreName
  /** Time until the complete response. */
  readonly whole: Spread
  /** Time until the first byte of a streamed response. */
  readonly firstByte: Spread
}

/** Latency with a database over a network, compared with a local file. */
export interface StoreResult {
  readonly costs: readonly ComparedCost<StoreName>[]
  /** Latency with a database whose round-trip time is `ROUND_TRIP`. */
  readonly latency: readonly StoreLatency[]
  /** Measured round-trip time in microseconds. It is longer than `ROUND_TRIP`, because timers are late. */
  readonly roundTrip: number
  readonly settlements: readonly SettlementRate[]
}

type Store = Running & { readonly name: StoreName }

/** Measures the engines side by side, with one gateway for each. */
export async function measureStore(effort: Effort): Promise<StoreResult> {
  await using upstream = await startUpstream(0)
  await using server = await PostgresServer.start({ isDurable: true, parameters: FAST_SERVER })
  return {
    costs: await measureCosts(upstream, server, effort),
    ...(await measureLatency(upstream, server, effort)),
    settlements: await measureSettlements(server, effort.chatBlock * 2),
  }
}

async function measureCosts(
  upstream: Upstream,
  server: PostgresServer,
  effort: Effort,
): Promise<readonly ComparedCost<StoreName>[]> {
  await using stack = new AsyncDisposableStack()
  const stores = await startStores(upstream, server, server.port, stack)
  const blocks = await takeChatTurns(stores, effort)
  const names = stores.map(({ name }) => name)
  return comparedTo("sqlite", names, blocks)
}

interface LatencyRound {
  readonly store: StoreName
  readonly round: number
  readonly whole: number
  readonly firstByte: number
}

async function measureLatency(
  upstream: Upstream,
  server: PostgresServer,
  effort: Effort,
): Promise<Pick<StoreResult, "latency" | "roundTrip">> {
  await using stack = new AsyncDisposableStack()
  const proxy = stack.use(await startDistantProxy(server.port, ROUND_TRIP))
  const stores = await startStores(upstream, server, proxy.port, stack)
  const count = Math.ceil(effort.latencyRequests / ROUND_TRIP) * 2
  for (const store of stores) await timesOf(store, count * WARM_UP_SHARE)
  const rounds: LatencyRound[] = []
  for (let round = 0; round < effort.latencyRounds; round++) {
    for (const store of round % 2 === 0 ? stores : stores.toReversed()) {
      rounds.push({ store: store.name, round, ...(await timesOf(store, count)) })
    }
  }
  const latency = stores.map(({ name }) => {
    const over = (figure: "whole" | "firstByte"): Spread =>
      spreadOf(
        rounds
          .filter(({ store }) => store === name)
          .map((own) => {
            const base = rounds.find(
              ({ store, round }) => store === "sqlite" && round === own.round,
            )
            return own[figure] - (base?.[figure] ?? NaN)
          }),
      )
    return { store: name, whole: over("whole"), firstByte: over("firstByte") }
  })
  return { latency, roundTrip: await timeRoundTrips(server, proxy.port, count) }
}

/** Returns the median time of empty statements in microseconds. */
async function timeRoundTrips(
  server: PostgresServer,
  port: number,
  count: number,
): Promise<number> {
  const url = server.url("postgres").replace(`:${server.port}/`, `:${port}/`)
  const sql = new SQL(url, { max: 1 })
  const times: number[] = []
  for (let number = 0; number < count; number++) {
    const begun = performance.now()
    await sql.unsafe("SELECT 1")
    times.push((performance.now() - begun) * 1_000)
  }
  await sql.close({ timeout: 0 })
  return quantile(times, 0.5)
}

/** Returns the median times of several responses in microseconds. */
async function timesOf(
  address: Address,
  count: number,
): Promise<{ readonly whole: number; readonly firstByte: number }> {
  const middle = (times: readonly ResponseTime[], figure: keyof ResponseTime): number =>
    quantile(
      times.map((time) => time[figure]),
      0.5,
    )
  const whole = await timeResponses(address, wholeBody(address), count)
  const streamed = await timeResponses(address, streamedBody(address), count)
  return { whole: middle(whole, "whole"), firstByte: middle(streamed, "firstByte") }
}

function wholeBody({ model }: Address): string {
  return chatBody(model("echo"), RESPONSE_TOKENS, false)
}

function streamedBody({ model }: Address): string {
  return chatBody(model("echo"), STREAM_TOKENS, true)
}

/** @param port the port of the database. */
async function startStores(
  upstream: Upstream,
  server: PostgresServer,
  port: number,
  stack: AsyncDisposableStack,
): Promise<readonly Store[]> {
  const onServer = async (settle: "database" | "journal"): Promise<string> => {
    const url = server.url(await server.create()).replace(`:${server.port}/`, `:${port}/`)
    return `database: { url: "${url}", settle: ${settle} }\n`
  }
  const plans: readonly (readonly [StoreName, string])[] = [
    ["sqlite", ""],
    ["postgresql", await onServer("database")],
    ["postgresql, journal", await onServer("journal")],
  ]
  const stores: Store[] = []
  for (const [name, database] of plans) {
    const prepared = stack.use(await prepareTollgate(upstream, database))
    const running = stack.use(await prepared.start())
    await checkResponses(running)
    stores.push({ ...running, name })
  }
  return stores
}
