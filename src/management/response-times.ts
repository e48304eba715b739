import { HOUR_MS } from "#contract/durations.ts"
import type { ResponseTimesDocument } from "#contract/usage.ts"
import type { ResponseSample, UsageTime } from "../store/requests.ts"
import { HOURS_OF_DAY } from "../store/usage-sums.ts"

const SPANS: Readonly<Record<UsageTime, number>> = { hour: HOUR_MS, day: HOURS_OF_DAY * HOUR_MS }

/** One point of a series. */
interface Point {
  readonly at: number
  readonly group: string
  readonly step: UsageTime
  /** The group names that the series distinguishes. */
  readonly names: readonly string[]
}

/** Response times of a sample, by the groups of a report. */
export class ResponseTimes {
  readonly #sample: ResponseSample
  readonly #names: readonly string[]
  #groups: ReadonlyMap<string, number[]> | undefined
  #points: ReadonlyMap<string, number[]> | undefined

  /** @param names the names of groups that the sample distinguishes. */
  constructor(sample: ResponseSample, names: readonly string[]) {
    this.#sample = sample
    this.#names = names
  }

  ofAll(): ResponseTimesDocument {
    return this.#timesOf(this.#sample.at.keys().toArray())
  }

  ofGroup(name: string): ResponseTimesDocument {
    this.#groups ??= this.#grouped((group) => group)
    return this.#timesOf(this.#groups.get(name) ?? [])
  }

  at({ at, group, step, names }: Point): ResponseTimesDocument {
    const apart = new Set(names)
    const pointOf = (moment: number, name: string): string =>
      `${Math.floor(moment / SPANS[step])} ${apart.has(name) ? name : ""}`
    this.#points ??= this.#grouped((name = "", response) =>
      pointOf(this.#sample.at[response] ?? 0, name),
    )
    return this.#timesOf(this.#points.get(pointOf(at, group)) ?? [])
  }

  /**
   * Returns the indexes of responses by their key.
   * @param keyOf returns the key for a name; a name that is undefined stands for all other groups.
   */
  #grouped(
    keyOf: (name: string | undefined, response: number) => string | undefined,
  ): ReadonlyMap<string, number[]> {
    const { entries } = this.#sample
    const found = new Map<string, number[]>()
    for (const [entry, response] of entries.responses.entries()) {
      const key = keyOf(this.#names[entries.names[entry] ?? -1], response)
      if (key === undefined) continue
      const known = found.get(key)
      if (known === undefined) found.set(key, [response])
      else known.push(response)
    }
    return found
  }

  #timesOf(responses: readonly number[]): ResponseTimesDocument {
    const { duration, firstByte, output } = this.#sample
    const durations = Float64Array.from(responses, (response) => duration[response] ?? 0).toSorted()
    const firstBytes = Float64Array.from(responses, (response) => firstByte[response] ?? NaN)
      .filter((value) => !Number.isNaN(value))
      .toSorted()
    const speeds = Float64Array.from(responses, (response) => {
      const [tokens = 0, time = 0] = [output[response], duration[response]]
      return tokens > 0 && time > 0 ? (tokens * 1_000) / time : NaN
    })
      .filter((value) => !Number.isNaN(value))
      .toSorted()
    const speed = percentile(speeds, 0.5)
    return {
      p50_duration_ms: percentile(durations, 0.5),
      p95_duration_ms: percentile(durations, 0.95),
      p50_first_byte_ms: percentile(firstBytes, 0.5),
      p95_first_byte_ms: percentile(firstBytes, 0.95),
      tokens_per_second: speed === null ? null : Math.round(speed * 10) / 10,
    }
  }
}

/**
 * Returns a percentile by the nearest-rank method; null if there are no values.
 * @param values in ascending order.
 */
function percentile(values: Float64Array, part: number): number | null {
  return values[Math.max(0, Math.ceil(values.length * part) - 1)] ?? null
}
