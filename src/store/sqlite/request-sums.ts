import { HOUR_MS } from "#contract/durations.ts"
import type { Database, Statement } from "bun:sqlite"
import { storedAmount } from "../../accounting/maxima.ts"
import { SUM_NAMES } from "../request-names.ts"
import { nameOf, type RequestSummary } from "../request-summary.ts"
import { HOURS_OF_DAY, isAmount, SUMS } from "../usage-sums.ts"
import { NAME_COLUMNS, NameSums, type NameTables, type SumValues } from "./name-sums.ts"
import { addition } from "./wide-sums.ts"

/** The amounts that a chunk of requests adds to one row of sums. */
interface Sum {
  readonly hour: number
  readonly names: readonly string[]
  requests: number
  errors: number
  input: number
  output: number
  cost: bigint
  writtenOff: bigint
  providerCost: bigint
  durations: number
  duration: number
  firstBytes: number
  firstByte: number
}

interface KeySum {
  lastUsedAt: number
  requests: number
  spent: bigint
}

/** Number of columns: the dimensions, the hour, and the sums. */
const COLUMNS = SUM_NAMES.length + 1 + SUMS.length

/** The names of the tables of sums. */
export interface SumTables {
  readonly hours: string
  /** The table of daily sums; if absent, only hourly sums are stored. */
  readonly days?: string
  readonly keys: string
  /** The tables of sums by a single name; if absent, these are not stored. */
  readonly names?: NameTables
}

function addSums(table: string, columns = COLUMNS): string {
  const sums = SUMS.map((name) =>
    isAmount(name) ? addition(name) : `${name} = ${name} + excluded.${name}`,
  ).join(", ")
  return `INSERT INTO ${table} VALUES (${Array(columns).fill("?").join(", ")})
    ON CONFLICT DO UPDATE SET ${sums}`
}

/** Maintains sums of requests by hour and by key. */
export class RequestSums {
  readonly #hours: Statement<unknown, (string | bigint)[]>
  readonly #days: Statement<unknown, (string | bigint)[]> | undefined
  readonly #keys: Statement<unknown, (string | bigint)[]>
  readonly #names: NameSums | undefined

  constructor(database: Database, { hours, days, keys, names }: SumTables) {
    this.#hours = database.prepare(addSums(hours))
    this.#days = days === undefined ? undefined : database.prepare(addSums(days))
    this.#keys = database.prepare(
      `INSERT INTO ${keys} VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
        last_used_at = max(last_used_at, excluded.last_used_at),
        requests = requests + excluded.requests, ${addition("spent")}`,
    )
    this.#names =
      names &&
      new NameSums(
        database.prepare(addSums(names.hours, NAME_COLUMNS)),
        database.prepare(addSums(names.days, NAME_COLUMNS)),
      )
  }

  /**
   * Adds or subtracts requests.
   * @param sign 1 to add the requests, -1 to subtract them.
   */
  add(summaries: readonly RequestSummary[], sign: 1 | -1): void {
    const factor = BigInt(sign)
    const hours = [...sumsOf(summaries, 1)].map((sum) => sumValues(sum, factor))
    for (const values of hours) this.#hours.run(...values)
    this.#names?.add(hours)
    if (this.#days) {
      for (const sum of sumsOf(summaries, HOURS_OF_DAY)) this.#days.run(...sumValues(sum, factor))
    }
    for (const [key, { lastUsedAt, requests, spent }] of keySumsOf(summaries)) {
      this.#keys.run(
        key,
        BigInt(lastUsedAt),
        factor * BigInt(requests),
        factor * storedAmount(spent),
      )
    }
  }

  /**
   * Adds rows of sums.
   * @param hours hourly sums, with their values in the order of the columns.
   * @param keys sums by key.
   */
  addRows(hours: readonly SumValues[], keys: readonly SumValues[]): void {
    for (const [hour = 0n, ...values] of hours) {
      this.#hours.run(hour, ...values)
      const days = BigInt(HOURS_OF_DAY)
      this.#days?.run((BigInt(hour) / days) * days, ...values)
    }
    this.#names?.add(hours)
    for (const values of keys) this.#keys.run(...values)
  }
}

/**
 * Returns the sums of requests.
 * @param span length in hours; each sum belongs to the first hour of its span.
 */
function sumsOf(summaries: readonly RequestSummary[], span: number): Iterable<Sum> {
  const sums = new Map<string, Sum>()
  for (const summary of summaries) {
    const hour = Math.floor(summary.at / HOUR_MS / span) * span
    const names = SUM_NAMES.map((name) => nameOf(summary, name))
    const place = JSON.stringify([hour, ...names])
    let sum = sums.get(place)
    if (sum === undefined) sums.set(place, (sum = emptySum(hour, names)))
    sum.requests++
    if (summary.failed) sum.errors++
    sum.input += summary.input
    sum.output += summary.output
    sum.cost += summary.cost
    sum.writtenOff += summary.writtenOff
    sum.providerCost += summary.providerCost
    if (summary.status !== "settled") continue
    if (summary.duration !== null) {
      sum.durations++
      sum.duration += summary.duration
    }
    if (summary.firstByte !== null) {
      sum.firstBytes++
      sum.firstByte += summary.firstByte
    }
  }
  return sums.values()
}

function emptySum(hour: number, names: readonly string[]): Sum {
  const counts = { requests: 0, errors: 0, input: 0, output: 0 }
  const costs = { cost: 0n, writtenOff: 0n, providerCost: 0n }
  const times = { durations: 0, duration: 0, firstBytes: 0, firstByte: 0 }
  return { hour, names, ...counts, ...costs, ...times }
}

function sumValues(sum: Sum, sign: bigint): (string | bigint)[] {
  return [
    BigInt(sum.hour),
    ...sum.names,
    sign * BigInt(sum.requests),
    sign * BigInt(sum.errors),
    sign * BigInt(sum.input),
    sign * BigInt(sum.output),
    sign * storedAmount(sum.cost),
    sign * storedAmount(sum.writtenOff),
    sign * storedAmount(sum.providerCost),
    sign * BigInt(sum.durations),
    sign * BigInt(sum.duration),
    sign * BigInt(sum.firstBytes),
    sign * BigInt(sum.firstByte),
  ]
}

function keySumsOf(summaries: readonly RequestSummary[]): ReadonlyMap<string, KeySum> {
  const sums = new Map<string, KeySum>()
  for (const { key, at, cost } of summaries) {
    const sum = sums.get(key)
    if (sum === undefined) {
      sums.set(key, { lastUsedAt: at, requests: 1, spent: cost })
      continue
    }
    sum.lastUsedAt = Math.max(sum.lastUsedAt, at)
    sum.requests++
    sum.spent += cost
  }
  return sums
}
