import type { ResponseSample } from "../requests.ts"
import { FLAG, type Segment } from "./segment.ts"
import { type Grouping, type IdFilter, Selection } from "./selection.ts"
import type { Segments } from "./sum-segments.ts"

/** Maximum number of responses in a sample. */
const MAX_RESPONSES = 20_000
/** The group of responses that belong to none of the given groups. */
const OTHER = -1

/** The groups of a sample. */
export interface SampledGroups {
  readonly grouping: Grouping
  /** Ids or hours of the groups. An undefined key stands for a group without requests. */
  readonly keys: readonly (number | undefined)[]
}

/** Samples every n-th response of a time range, or all responses if there are few. */
export function sampleSegments(
  segments: Segments,
  filter: IdFilter,
  groups: SampledGroups,
  max = MAX_RESPONSES,
): ResponseSample {
  const selection = new Selection(filter, { column: "none" })
  let count = 0
  for (const segment of segments) count += responsesOf(selection, segment).length
  const step = Math.max(1, Math.ceil(count / max))
  const sample = new SampleBuilder(Math.ceil(count / step), groups, filter)
  let next = 0
  for (const segment of segments) {
    const rows = responsesOf(selection, segment)
    const taken: number[] = []
    for (; next < rows.length; next += step) taken.push(rows[next] ?? 0)
    next -= rows.length
    if (taken.length > 0) sample.add(segment, taken)
  }
  return sample.build(step === 1)
}

/** Returns the rows of a segment that are responses. */
function responsesOf(selection: Selection, segment: Segment): Int32Array {
  const { rows, length } = selection.of(segment)
  const flags = segment.words("flags")
  let kept = 0
  for (let entry = 0; entry < length; entry++) {
    const row = rows[entry] ?? 0
    if (((flags[row] ?? 0) & FLAG.hasDuration) !== 0) rows[kept++] = row
  }
  return rows.subarray(0, kept)
}

class SampleBuilder {
  readonly #selection: Selection
  readonly #at: Float64Array
  readonly #duration: Float64Array
  readonly #firstByte: Float64Array
  readonly #output: Float64Array
  readonly #responses: number[] = []
  readonly #groups: number[] = []
  readonly #places: ReadonlyMap<number | undefined, number>
  #count = 0

  constructor(count: number, { grouping, keys }: SampledGroups, filter: IdFilter) {
    this.#places = new Map(keys.map((key, place) => [key, place]))
    this.#selection = new Selection(filter, grouping)
    this.#at = new Float64Array(count)
    this.#duration = new Float64Array(count)
    this.#firstByte = new Float64Array(count)
    this.#output = new Float64Array(count)
  }

  /**
   * Adds responses of a segment.
   * @param taken rows of the segment, in order.
   */
  add(segment: Segment, taken: readonly number[]): void {
    const times = segment.times()
    const flags = segment.words("flags")
    const [duration, firstByte] = [segment.words("duration"), segment.words("first_byte")]
    const output = segment.words("output")
    const first = this.#count
    for (const row of taken) {
      const response = this.#count++
      this.#at[response] = segment.from + (times[row] ?? 0)
      this.#duration[response] = duration[row] ?? 0
      const hasFirstByte = ((flags[row] ?? 0) & FLAG.hasFirstByte) !== 0
      this.#firstByte[response] = hasFirstByte ? (firstByte[row] ?? 0) : NaN
      this.#output[response] = output[row] ?? 0
    }
    const { rows, keys, length } = this.#selection.among(segment, taken)
    let place = 0
    for (let entry = 0; entry < length; entry++) {
      while (taken[place] !== rows[entry]) place++
      this.#responses.push(first + place)
      this.#groups.push(this.#places.get(keys[entry] ?? 0) ?? OTHER)
    }
  }

  build(isComplete: boolean): ResponseSample {
    return {
      at: this.#at,
      duration: this.#duration,
      firstByte: this.#firstByte,
      output: this.#output,
      entries: {
        responses: Int32Array.from(this.#responses),
        names: Int32Array.from(this.#groups),
      },
      isComplete,
    }
  }
}
