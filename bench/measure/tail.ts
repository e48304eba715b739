import { RESPONSE_TOKENS, chatBody } from "../load/request.ts"
import { timeResponsesUntil } from "../load/time-responses.ts"
import type { Effort } from "../options.ts"
import { quantile, spreadOf, type Spread } from "../statistics.ts"
import type { Address, Subject } from "../subjects/subject.ts"
import { startUpstream } from "../upstream.ts"
import { CHAT_CALLERS } from "./processor-time.ts"
import { withSubjects } from "./with-subjects.ts"

/** Times of one turn of a subject in microseconds. */
export interface TailBlock {
  readonly subject: string
  readonly callers: number
  readonly round: number
  readonly median: number
  readonly p99: number
}

/** The 99th-percentile latency of a subject. */
export interface Tail {
  readonly subject: string
  readonly callers: number
  /** The 99th percentile in microseconds. */
  readonly p99: Spread
  /** Microseconds above the bare proxy's 99th percentile in the same round. */
  readonly over: Spread
  /** Ratio to the bare proxy's 99th percentile in the same round. */
  readonly ratio: Spread
}

/** The slowest responses of all subjects, and the blocks of the measurement. */
export interface TailResult {
  readonly tails: readonly Tail[]
  readonly blocks: readonly TailBlock[]
}

/** Numbers of concurrent callers: one caller, and a number that keeps the gateway busy. */
export const TAIL_CALLERS = [1, CHAT_CALLERS] as const

/** Measures the slowest responses of Tollgate and of the bare proxy in turn, after their code has been compiled. */
export async function measureTail(
  subjects: readonly Subject[],
  effort: Effort,
): Promise<TailResult> {
  await using upstream = await startUpstream(0)
  const two = subjects.filter(({ name }) => name === "bare" || name === "tollgate")
  return await withSubjects(two, upstream, async (running) => {
    const blocks: TailBlock[] = []
    for (const callers of TAIL_CALLERS) {
      for (const turn of running) await timesOf(turn, callers, effort.tailWarmUp)
      for (let round = 0; round < effort.tailRounds; round++) {
        for (const turn of round % 2 === 0 ? running : running.toReversed()) {
          const times = await timesOf(turn, callers, effort.tailBlock)
          const [median, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
          blocks.push({ subject: turn.name, callers, round, median, p99 })
        }
      }
    }
    return { blocks, tails: tailsOf(blocks) }
  })
}

/**
 * Returns the time of each complete response in microseconds. Callers repeat their requests for the given number of
 * milliseconds.
 */
async function timesOf(address: Address, callers: number, duration: number): Promise<number[]> {
  const body = chatBody(address.model("echo"), RESPONSE_TOKENS, false)
  const end = performance.now() + duration
  const times = await Promise.all(
    Array.from({ length: callers }, () =>
      timeResponsesUntil(address, body, () => performance.now() >= end),
    ),
  )
  return times.flat().map(({ whole }) => whole)
}

/** Compares each block with the bare proxy's block of the same round. */
export function tailsOf(blocks: readonly TailBlock[]): readonly Tail[] {
  return TAIL_CALLERS.flatMap((callers) => {
    const those = blocks.filter((block) => block.callers === callers)
    const bare = those.filter(({ subject }) => subject === "bare")
    return [...new Set(those.map(({ subject }) => subject))].map((subject) => {
      const pairs = those
        .filter((block) => block.subject === subject)
        .map(({ p99, round }) => ({
          p99,
          bare: bare.find((block) => block.round === round)?.p99 ?? Number.NaN,
        }))
      return {
        subject,
        callers,
        p99: spreadOf(pairs.map(({ p99 }) => p99)),
        over: spreadOf(pairs.map((pair) => pair.p99 - pair.bare)),
        ratio: spreadOf(pairs.map((pair) => pair.p99 / pair.bare)),
      }
    })
  })
}
