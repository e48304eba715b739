import { ClosedLoop } from "../load/closed-loop.ts"
import { openLoop } from "../load/open-loop.ts"
import { RESPONSE_TOKENS, chatBody } from "../load/request.ts"
import { machineTime } from "../processor.ts"
import { quantile, spreadOf, type Spread } from "../statistics.ts"
import { type Address, directTo } from "../subjects/subject.ts"
import { roundsOf } from "./plan.ts"
import type { RaceCourse } from "./processor.ts"

/** Requests per second. The second rate is for subjects that cannot reach the first rate. */
export const RATES = [500, 50] as const
/**
 * Minimum ratio of a subject's capacity to the rate. If a subject is near its limit, the latency is mostly the time in
 * its queue.
 */
const RESERVE = 1.4
const PROBING_CALLERS = 8
const PROBING_TIME = 1_000

/** Times of one turn in an open loop, in microseconds. */
export interface OpenBlock {
  readonly subject: string
  readonly round: number
  readonly rate: number
  readonly median: number
  readonly p99: number
  /** The median delay of the load generator itself. */
  readonly delay: number
}

/** Microseconds from the planned start of a request until its complete response arrived. */
export interface RaceLatency {
  readonly subject: string
  readonly rate: number
  readonly median: Spread
  readonly p99: Spread
}

/** The results of all subjects. `direct` is the vendor without a gateway. */
export interface LatencyRace {
  readonly latencies: readonly RaceLatency[]
  readonly blocks: readonly OpenBlock[]
  /** Share of the processor time that the host gave to other machines. */
  readonly stolen: number
}

type Turn = Address & { readonly name: string; readonly rate: number }

/** Measures short chats in an open loop. */
export async function raceLatency(course: RaceCourse): Promise<LatencyRace> {
  const { field, draw, effort, upstream } = course
  const able = await field.able("latency", course.running, upstream)
  const turns: Turn[] = []
  for (const running of draw.shuffle([...able.keys()])) {
    const rate = await field.attempt("latency", running.name, () => rateFor(running))
    if (rate !== undefined) turns.push({ ...running, rate })
  }
  const rates = new Set(turns.map(({ rate }) => rate))
  for (const rate of rates) turns.push({ ...directTo(upstream), rate })
  const before = machineTime()
  const blocks: OpenBlock[] = []
  for (const round of roundsOf(effort.latencyRounds, effort)) {
    for (const turn of draw.shuffle(turns)) {
      if (!field.isIn("latency", turn.name)) continue
      const time = round < 0 ? effort.warmUp : effort.latencyBlock
      const found = await field.attempt("latency", turn.name, () => runOpen(turn, time, round))
      if (found !== undefined && round >= 0) blocks.push(found)
    }
  }
  const after = machineTime()
  const stolen = after.stolen - before.stolen
  const kept = blocks.filter(({ subject }) => field.isIn("latency", subject))
  return {
    latencies: summarize(kept),
    blocks: kept,
    stolen: stolen / (stolen + after.ran - before.ran),
  }
}

/**
 * Returns the highest rate that a subject can sustain.
 * @throws Error if it cannot sustain any rate.
 */
async function rateFor(address: Address): Promise<number> {
  using loop = await ClosedLoop.connect(address, smallChat(address), PROBING_CALLERS)
  loop.start()
  await Bun.sleep(PROBING_TIME)
  await loop.stop()
  const perSecond = (loop.seen.responses / PROBING_TIME) * 1_000
  const rate = RATES.find((one) => one * RESERVE <= perSecond)
  if (rate !== undefined) return rate
  throw new Error(`serves only ${Math.round(perSecond)} requests per second`)
}

async function runOpen(turn: Turn, duration: number, round: number): Promise<OpenBlock> {
  const { rate, name: subject } = turn
  const result = await openLoop(turn, smallChat(turn), { rate, duration })
  if (result.failures > 0) throw new Error(`${result.failures} requests failed`)
  return {
    subject,
    round,
    rate,
    median: quantile(result.latencies, 0.5),
    p99: quantile(result.latencies, 0.99),
    delay: quantile(result.delays, 0.5),
  }
}

function smallChat({ model }: Address): string {
  return chatBody(model("echo"), RESPONSE_TOKENS, false)
}

function summarize(blocks: readonly OpenBlock[]): readonly RaceLatency[] {
  const kinds = new Map(
    blocks.map(({ subject, rate }) => [`${subject} ${rate}`, { subject, rate }]),
  )
  return [...kinds.values()].map(({ subject, rate }) => {
    const own = blocks.filter((block) => block.subject === subject && block.rate === rate)
    return {
      subject,
      rate,
      median: spreadOf(own.map(({ median }) => median)),
      p99: spreadOf(own.map(({ p99 }) => p99)),
    }
  })
}
