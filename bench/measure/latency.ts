import { RESPONSE_TOKENS, chatBody } from "../load/request.ts"
import { timeResponses } from "../load/time-responses.ts"
import type { Effort } from "../options.ts"
import { machineTime } from "../processor.ts"
import { quantile, spreadOf, type Spread } from "../statistics.ts"
import { directTo, type Address, type Subject } from "../subjects/subject.ts"
import { startUpstream } from "../upstream.ts"
import { withSubjects } from "./with-subjects.ts"

/** Times of one turn of a subject, or of the vendor without a gateway, in microseconds. */
export interface LatencyBlock {
  readonly subject: string
  readonly round: number
  readonly median: number
  readonly p99: number
}

/** The latency in microseconds that a subject adds to the vendor's own latency, computed in each round. */
export interface AddedLatency {
  readonly subject: string
  readonly median: Spread
  readonly p99: Spread
}

/** The times of single requests, and the latency that each subject adds. */
export interface LatencyResult {
  readonly direct: { readonly median: Spread; readonly p99: Spread }
  readonly added: readonly AddedLatency[]
  readonly blocks: readonly LatencyBlock[]
  /** Share of the processor time that the host gave to other machines. */
  readonly stolen: number
}

const WARM_UP_SHARE = 2

/** Measures the time from a request to its complete response on one connection. */
export async function measureLatency(
  subjects: readonly Subject[],
  effort: Effort,
): Promise<LatencyResult> {
  await using upstream = await startUpstream(0)
  const different = subjects.filter(({ name }) => name !== "pipe")
  return await withSubjects(different, upstream, async (running) => {
    const turns = [directTo(upstream), ...running]
    for (const turn of turns) await timesOf(turn, effort.latencyRequests * WARM_UP_SHARE)
    const before = machineTime()
    const blocks: LatencyBlock[] = []
    for (let round = 0; round < effort.latencyRounds; round++) {
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) {
        const times = await timesOf(turn, effort.latencyRequests)
        const [median, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
        blocks.push({ subject: turn.name, round, median, p99 })
      }
    }
    const after = machineTime()
    const stolen = after.stolen - before.stolen
    return { ...summarize(blocks), stolen: stolen / (stolen + after.ran - before.ran) }
  })
}

/** Returns the time of each complete response in microseconds. */
async function timesOf(address: Address, count: number): Promise<number[]> {
  const body = chatBody(address.model("echo"), RESPONSE_TOKENS, false)
  return (await timeResponses(address, body, count)).map(({ whole }) => whole)
}

function summarize(blocks: readonly LatencyBlock[]): Omit<LatencyResult, "stolen"> {
  const direct = blocks.filter(({ subject }) => subject === "direct")
  const names = [...new Set(blocks.map(({ subject }) => subject))]
  const added = names
    .filter((name) => name !== "direct")
    .map((subject) => {
      const own = blocks.filter((block) => block.subject === subject)
      const over = (figure: "median" | "p99") =>
        spreadOf(
          own.map((block) => {
            const base = direct.find(({ round }) => round === block.round)
            return block[figure] - (base?.[figure] ?? Number.NaN)
          }),
        )
      return { subject, median: over("median"), p99: over("p99") }
    })
  const own = (figure: "median" | "p99") => spreadOf(direct.map((block) => block[figure]))
  return { direct: { median: own("median"), p99: own("p99") }, added, blocks }
}
