import type { AnswerTimesDocument } from "tollgate-contract/usage.ts"
import type {
  AnswerSample,
  AnswerTimes as Answer,
  UsageGroup,
  UsageTime,
} from "../store/requests.ts"
import { HOUR, HOURS_OF_DAY, isLabel } from "../store/usage-sums.ts"
import { isTime } from "./usage-rows.ts"

const SPANS: Readonly<Record<UsageTime, number>> = { hour: HOUR, day: HOURS_OF_DAY * HOUR }

/** One point of a series. */
interface Point {
  readonly at: number
  readonly group: string
  readonly step: UsageTime
  /** Those that are told apart. */
  readonly names: readonly string[]
}

/** How long answers took, of a sample, in the groups of a report. */
export class AnswerTimes {
  readonly #answers: readonly Answer[]
  readonly #group: UsageGroup
  #groups: ReadonlyMap<string, Answer[]> | undefined
  #points: ReadonlyMap<string, Answer[]> | undefined

  constructor({ answers }: AnswerSample, group: UsageGroup) {
    this.#answers = answers
    this.#group = group
  }

  ofAll(): AnswerTimesDocument {
    return timesOf(this.#answers)
  }

  /** Undefined for labels, which a sample does not have. */
  ofGroup(name: string): AnswerTimesDocument | undefined {
    if (isLabel(this.#group)) return undefined
    this.#groups ??= Map.groupBy(this.#answers, (answer) => this.#nameOf(answer))
    return timesOf(this.#groups.get(name) ?? [])
  }

  at({ at, group, step, names }: Point): AnswerTimesDocument | undefined {
    if (isLabel(this.#group)) return undefined
    const apart = new Set(names)
    const pointOf = (moment: number, name: string): string =>
      `${Math.floor(moment / SPANS[step])} ${apart.has(name) ? name : ""}`
    this.#points ??= Map.groupBy(this.#answers, (answer) =>
      pointOf(answer.at, this.#nameOf(answer)),
    )
    return timesOf(this.#points.get(pointOf(at, group)) ?? [])
  }

  #nameOf(answer: Answer): string {
    const group = this.#group
    if (isTime(group)) return String(Math.floor(answer.at / SPANS[group]) * SPANS[group])
    if (group === "all" || isLabel(group)) return ""
    return answer[group]
  }
}

function timesOf(answers: readonly Answer[]): AnswerTimesDocument {
  const durations = sorted(answers.map(({ duration }) => duration))
  const firstBytes = sorted(answers.flatMap(({ firstByte }) => firstByte ?? []))
  const speeds = sorted(
    answers.flatMap(({ output, duration }) =>
      output > 0 && duration > 0 ? [(output * 1_000) / duration] : [],
    ),
  )
  const speed = percentile(speeds, 0.5)
  return {
    p50_duration_ms: percentile(durations, 0.5),
    p95_duration_ms: percentile(durations, 0.95),
    p50_first_byte_ms: percentile(firstBytes, 0.5),
    p95_first_byte_ms: percentile(firstBytes, 0.95),
    tokens_per_second: speed === null ? null : Math.round(speed * 10) / 10,
  }
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((left, right) => left - right)
}

/** The least value that so many are not above. @param values ascending. */
function percentile(values: readonly number[], part: number): number | null {
  return values[Math.max(0, Math.ceil(values.length * part) - 1)] ?? null
}
