import { STREAMS } from "../measure/memory.ts"
import { formatNumber } from "../table.ts"
import type { RaceResults } from "./results.ts"
import type { ScenarioName } from "./plan.ts"

/** A row of the table, with one figure for each contestant. */
export interface Figure {
  readonly scenario: ScenarioName
  readonly name: string
  /** Returns the cell of a contestant; undefined if the contestant has no result. */
  of(contestant: string): string | undefined
}

const KILOBYTES = 1_024
const MICROSECONDS = 1_000

const NAMES: Partial<Record<ScenarioName, string>> = {
  chat: "CPU per small chat, 32 callers",
  "chat-alone": "CPU per small chat, one caller",
  prompt: "CPU per chat of 50 kB",
  streams: "CPU per frame, 200 streams",
  anthropic: "CPU per frame, Anthropic to OpenAI",
  embeddings: "CPU per 100 embeddings",
}

/** Returns the measured processor times, compared with the bare proxy. */
export function ratioFigures({ processor }: RaceResults): readonly Figure[] {
  return costFigures(processor, (cost) => `${formatNumber(cost.ratio.median)}x`)
}

/** Returns the measured processor times in microseconds. */
export function timeFigures({ processor }: RaceResults): readonly Figure[] {
  return costFigures(processor, (cost) => formatNumber(cost.microseconds.median))
}

type Processor = RaceResults["processor"]
type RaceCost = NonNullable<Processor["chat"]>["costs"][number]

function costFigures(processor: Processor, show: (cost: RaceCost) => string): readonly Figure[] {
  return (Object.keys(processor) as (keyof Processor)[]).map((scenario) => ({
    scenario,
    name: NAMES[scenario] ?? scenario,
    of(contestant) {
      const cost = processor[scenario]?.costs.find(({ subject }) => subject === contestant)
      return cost && show(cost)
    },
  }))
}

/** Returns the results in milliseconds and megabytes. */
export function otherFigures(results: RaceResults): readonly Figure[] {
  const { latency, idle, upload, start, memory } = results
  const megabytes = (kilobytes: number): string => formatNumber(kilobytes / KILOBYTES)
  return [
    ...(latency ? latencyFigures(latency.latencies) : []),
    ...rowOf("idle", "memory per idle stream, KB", idle, ({ perStream, begun }) =>
      begun < STREAMS ? `${begun} open` : formatNumber(perStream),
    ),
    ...rowOf("upload", "25 MB upload, above rest, MB", upload, (one) => megabytes(one.aboveRest)),
    ...rowOf("start", "start to first response, ms", start, (one) => formatNumber(one.toResponse)),
    ...rowOf("memory", "memory at rest, MB", memory, ({ atRest }) => megabytes(atRest)),
    ...rowOf("memory", "memory after the load, MB", memory, ({ atEnd }) => megabytes(atEnd)),
  ]
}

function rowOf<Result extends { readonly subject: string }>(
  scenario: ScenarioName,
  name: string,
  found: readonly Result[] | undefined,
  show: (result: Result) => string,
): readonly Figure[] {
  if (found === undefined) return []
  const of = (contestant: string): string | undefined => {
    const result = found.find(({ subject }) => subject === contestant)
    return result && show(result)
  }
  return [{ scenario, name, of }]
}

function latencyFigures(
  latencies: NonNullable<RaceResults["latency"]>["latencies"],
): readonly Figure[] {
  const highest = Math.max(...latencies.map(({ rate }) => rate))
  return (["median", "p99"] as const).map((figure) => ({
    scenario: "latency",
    name: `latency ${figure === "median" ? "p50" : "p99"} at ${highest} a second, ms`,
    of(contestant) {
      const own = latencies.find(({ subject }) => subject === contestant)
      if (own === undefined) return undefined
      const value = formatNumber(own[figure].median / MICROSECONDS)
      return own.rate === highest ? value : `${value} (at ${own.rate})`
    },
  }))
}

/** The disturbances of a race by other processes and machines. */
export interface Noise {
  /** Share of the gateway's core that other processes used during the measurements. */
  readonly strangers: number
  /** Share of the time that the host gave to other machines. */
  readonly stolen: number
  readonly load: number
  readonly isNoisy: boolean
}

const MAX_SHARE = 0.05
const MAX_LOAD = 1

export function noiseOf({ processor, latency, machine }: RaceResults): Noise {
  const blocks = Object.values(processor).flatMap((race) => race?.blocks ?? [])
  const time = blocks.reduce((sum, { duration }) => sum + duration, 0) * MICROSECONDS
  const used = blocks.reduce((sum, { strangersTime }) => sum + strangersTime, 0)
  const strangers = time === 0 ? 0 : used / time
  const stolen = latency?.stolen ?? 0
  const { load } = machine
  const isNoisy = strangers > MAX_SHARE || stolen > MAX_SHARE || load > MAX_LOAD
  return { strangers, stolen, load, isNoisy }
}
