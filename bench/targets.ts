import type { ConsoleEngine } from "./measure/console.ts"
import { ROUND_TRIP, type StoreName } from "./measure/store.ts"
import { MAIN_PAIR } from "./measure/transcoding.ts"
import { STREAMS } from "./measure/memory.ts"
import { CHAT_CALLERS } from "./measure/processor-time.ts"
import type { Tail, TailResult } from "./measure/tail.ts"
import type { Results } from "./results.ts"
import type { Spread } from "./statistics.ts"

/** One target of the design, and the measured value. */
export interface Verdict {
  readonly figure: string
  readonly measured: number
  readonly spread?: Spread
  readonly unit: string
  readonly must: number
  readonly aim: number
  readonly verdict: "ok" | "aim missed" | "MISS" | "noisy"
}

interface Target {
  readonly figure: string
  readonly unit: string
  readonly must: number
  readonly aim: number
  readonly isMoreBetter?: boolean
  find(results: Results): number | Spread | undefined
}

const MICROSECONDS = 1_000
const KILOBYTES = 1_024

function ofTollgate<Result extends { readonly subject: string }>(
  found: readonly Result[] | undefined,
): Result | undefined {
  return found?.find(({ subject }) => subject === "tollgate")
}

function tailOf(result: TailResult | undefined, callers: number): Tail | undefined {
  return ofTollgate(result?.tails.filter((tail) => tail.callers === callers))
}

function scaled(spread: Spread | undefined, divisor: number): Spread | undefined {
  if (spread === undefined) return undefined
  const { median, lowest, highest } = spread
  return { median: median / divisor, lowest: lowest / divisor, highest: highest / divisor }
}

const TARGETS: readonly Target[] = [
  {
    figure: "CPU per chat, against the bare proxy",
    unit: "x",
    must: 1.8,
    aim: 1.4,
    find: ({ chat }) => ofTollgate(chat?.costs)?.ratio,
  },
  {
    figure: "CPU per streamed frame, against the bare proxy",
    unit: "x",
    must: 1.3,
    aim: 1.1,
    find: ({ stream }) => ofTollgate(stream?.costs)?.ratio,
  },
  {
    figure: "CPU per transcoded frame (anthropic to openai), against the bare proxy",
    unit: "x",
    must: 1.4,
    aim: 1.1,
    find: ({ transcode }) => transcode?.costs.find(({ subject }) => subject === MAIN_PAIR)?.ratio,
  },
  {
    figure: "added latency p99, one connection",
    unit: " ms",
    must: 1,
    aim: 0.4,
    find: ({ latency }) => scaled(ofTollgate(latency?.added)?.p99, MICROSECONDS),
  },
  {
    figure: "p99 of one caller, over the bare proxy's",
    unit: " ms",
    must: 2,
    aim: 1,
    find: ({ tail }) => scaled(tailOf(tail, 1)?.over, MICROSECONDS),
  },
  {
    figure: `p99 of ${CHAT_CALLERS} callers, against the bare proxy`,
    unit: "x",
    must: 3,
    aim: 2,
    find: ({ tail }) => tailOf(tail, CHAT_CALLERS)?.ratio,
  },
  {
    figure: "memory at rest",
    unit: " MB",
    must: 120,
    aim: 80,
    find: ({ memory }) => {
      const found = ofTollgate(memory)
      return found && found.atRest / KILOBYTES
    },
  },
  {
    figure: "memory per open idle stream",
    unit: " KB",
    must: 40,
    aim: 20,
    find: ({ memory }) => ofTollgate(memory)?.perStream,
  },
  {
    figure: "25 MB upload, memory above rest",
    unit: " MB",
    must: 8,
    aim: 2,
    find: ({ upload }) => {
      const found = ofTollgate(upload)
      return found && found.aboveRest / KILOBYTES
    },
  },
  {
    figure: "streams open at once",
    unit: "",
    must: STREAMS,
    aim: STREAMS,
    isMoreBetter: true,
    find: ({ memory }) => {
      const found = ofTollgate(memory)
      return found && Math.min(found.begun, found.openAtVendor)
    },
  },
  {
    figure: "cold start to first response",
    unit: " ms",
    must: 200,
    aim: 100,
    find: ({ start }) => ofTollgate(start)?.toResponse,
  },
  ...storeTargets(),
  ...consoleTargets(),
  {
    figure: "CPU per chat of a grown installation, against a new one",
    unit: "x",
    must: 1.1,
    aim: 1.05,
    find: ({ size }) => size?.costs.find(({ name }) => name === "large")?.ratio,
  },
  {
    figure: "CPU per chat with metrics and request lines, against a gateway without them",
    unit: "x",
    must: 1.05,
    aim: 1.05,
    find: ({ observation }) =>
      observation?.find(({ name }) => name === "metrics and request lines")?.ratio,
  },
]

function consoleTargets(): readonly Target[] {
  const within = { unit: " ms", must: 150, aim: 100 }
  const slowest =
    (engine: ConsoleEngine, part: "calls" | "pages") =>
    ({ console: found }: Results) => {
      const times = found?.find((one) => one.engine === engine)?.[part]
      return times && Math.max(...times.map(({ median }) => median))
    }
  return (["sqlite", "postgresql"] as const).flatMap((engine) => [
    { figure: `slowest call of the console, ${engine}`, ...within, find: slowest(engine, "calls") },
    { figure: `slowest change of a page, ${engine}`, ...within, find: slowest(engine, "pages") },
  ])
}

function storeTargets(): readonly Target[] {
  const costOf = (name: StoreName) => (results: Results) =>
    results.store?.costs.find((one) => one.name === name)?.ratio
  const latencyOf =
    (name: StoreName, figure: "whole" | "firstByte") =>
    ({ store }: Results) =>
      scaled(store?.latency.find((one) => one.store === name)?.[figure], MICROSECONDS)
  const rateOf = (size: number) => (results: Results) => {
    const rates = results.store?.settlements.filter(({ batch }) => batch === size)
    return rates && Math.min(...rates.map(({ perSecond }) => perSecond))
  }
  const ratio = { unit: "x", must: 1.2, aim: 1.2 }
  const atOnce = { unit: " ms", must: 0.3, aim: 0.3 }
  const rate = { unit: "/s", isMoreBetter: true }
  return [
    { figure: "CPU per chat on PostgreSQL, against SQLite", ...ratio, find: costOf("postgresql") },
    {
      figure: "CPU per chat with a journal, against SQLite",
      ...ratio,
      find: costOf("postgresql, journal"),
    },
    {
      figure: `p50 on PostgreSQL ${ROUND_TRIP} ms away, over SQLite and one round trip`,
      unit: " ms",
      must: 1,
      aim: 1,
      find: (results) => {
        const whole = latencyOf("postgresql", "whole")(results)
        const trip = (results.store?.roundTrip ?? 0) / MICROSECONDS
        return (
          whole && {
            median: whole.median - trip,
            lowest: whole.lowest - trip,
            highest: whole.highest - trip,
          }
        )
      },
    },
    {
      figure: "its first byte, over SQLite",
      ...atOnce,
      find: latencyOf("postgresql", "firstByte"),
    },
    {
      figure: "p50 with a journal, over SQLite",
      ...atOnce,
      find: latencyOf("postgresql, journal", "whole"),
    },
    {
      figure: "settlements in batches of 17, the slower case",
      ...rate,
      must: 12_000,
      aim: 12_000,
      find: rateOf(17),
    },
    {
      figure: "settlements in batches of 100, the slower case",
      ...rate,
      must: 30_000,
      aim: 30_000,
      find: rateOf(100),
    },
  ]
}

/** Compares the measured values with the targets of the design. */
export function validate(results: Results): readonly Verdict[] {
  return TARGETS.flatMap((target) => {
    const found = target.find(results)
    if (found === undefined) return []
    const spread = typeof found === "number" ? undefined : found
    const measured = typeof found === "number" ? found : found.median
    const { figure, unit, must, aim } = target
    const holds = (limit: number) =>
      target.isMoreBetter === true ? measured >= limit : measured <= limit
    const measuredVerdict = holds(aim) ? "ok" : holds(must) ? "aim missed" : "MISS"
    const verdict = spread?.isNoisy === true ? "noisy" : measuredVerdict
    return [{ figure, unit, must, aim, measured, verdict, ...(spread && { spread }) }]
  })
}
