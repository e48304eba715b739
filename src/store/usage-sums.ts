import { HOUR_MS } from "#contract/durations.ts"
import type { LabelName } from "../accounting/labels.ts"
import { FILTER_NAMES } from "./request-names.ts"
import type {
  AccountUse,
  KeyUse,
  Latencies,
  UsageFilter,
  UsageFirst,
  UsageGroup,
  UsagePoint,
  UsageSum,
} from "./requests.ts"

export const HOURS_OF_DAY = 24

/** Maximum number of responses from which latencies are computed. */
export const LATENCY_SAMPLE = 1_000

/** The sums of requests, by column. */
export const SUMS = [
  "requests",
  "errors",
  "input",
  "output",
  "cost",
  "written_off",
  "provider_cost",
  "durations",
  "duration",
  "first_bytes",
  "first_byte",
]

/** The sums of amounts, which may exceed 64 bits. */
export const AMOUNTS = ["cost", "written_off", "provider_cost"] as const
export type AmountName = (typeof AMOUNTS)[number]

export function isAmount(name: string): name is AmountName {
  return AMOUNTS.some((amount) => amount === name)
}

const LABELS: ReadonlySet<UsageGroup> = new Set<LabelName>(["user", "session", "tag"])

/** Whether a group is a label that callers set. A request may belong to several groups of tags. */
export function isLabel(group: UsageGroup): group is LabelName {
  return LABELS.has(group)
}

/** The sums of one group in the form that a database returns. */
export interface SumRow {
  /** A name, or the hour as the number of hours since 1970. */
  readonly name: string | bigint
  readonly requests: bigint
  readonly errors: bigint
  readonly input: bigint
  readonly output: bigint
  readonly cost: bigint
  readonly written_off: bigint
  readonly provider_cost: bigint
  readonly durations: bigint
  readonly duration: bigint
  readonly first_bytes: bigint
  readonly first_byte: bigint
}

/** A response with its durations in milliseconds. */
export interface DurationRow {
  readonly at: bigint
  readonly duration: bigint
}

/** Converts the sums of one group to their form in reports. */
export function sumFromRow(row: SumRow): UsageSum {
  return {
    group: typeof row.name === "bigint" ? String(Number(row.name) * HOUR_MS) : row.name,
    requests: Number(row.requests),
    errors: Number(row.errors),
    input: Number(row.input),
    output: Number(row.output),
    cost: row.cost,
    writtenOff: row.written_off,
    providerCost: row.provider_cost,
    meanDuration: meanOf(row.duration, row.durations),
    meanFirstByte: meanOf(row.first_byte, row.first_bytes),
  }
}

/**
 * Returns the order and limit of groups, as SQL.
 * @param name the column with their names.
 * @param byCost SQL that sorts by cost, the most expensive first.
 */
export function endOf(
  first: UsageFirst | undefined,
  name: string,
  byCost = "sum(cost) DESC",
): string {
  const order = first?.order ?? "cost"
  const size = order === "tokens" ? "sum(input) + sum(output)" : `sum(${order})`
  const bySize = order === "cost" ? "" : `${size} DESC,`
  const limit = first ? `LIMIT ${BigInt(first.count)}` : ""
  return `ORDER BY ${bySize} ${byCost}, sum(requests) DESC, ${name} ${limit}`
}

/** The sums of one group in one interval. */
export interface PointRow extends SumRow {
  /** The start of the interval in hours since 1970. */
  readonly moment: bigint
}

export function pointFromRow(row: PointRow): UsagePoint {
  return { ...sumFromRow(row), at: Number(row.moment) * HOUR_MS }
}

function meanOf(sum: bigint, count: bigint): number | null {
  return count === 0n ? null : Math.round(Number(sum) / Number(count))
}

/** Computes latencies from the newest of some responses. */
export function latenciesOf(responses: readonly DurationRow[]): Latencies {
  const sample = responses
    .toSorted((left, right) => Number(right.at - left.at))
    .slice(0, LATENCY_SAMPLE)
    .map(({ duration }) => Number(duration))
    .toSorted((left, right) => left - right)
  return { p50: percentile(sample, 0.5), p95: percentile(sample, 0.95) }
}

/**
 * Returns a percentile by the nearest-rank method; null if there are no values.
 * @param sorted values in ascending order.
 * @param part the percentile as a fraction, such as 0.95.
 */
function percentile(sorted: readonly number[], part: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null
}

/** The part of a query's conditions that both engines have. */
interface Conditions {
  add(text: string, value: string | undefined): void
  among(column: string, values: readonly string[] | undefined): void
}

/** Adds all conditions of a filter, except those on time and labels. */
export function addNames(conditions: Conditions, filter: UsageFilter): void {
  conditions.among("account", filter.accounts)
  for (const name of FILTER_NAMES) conditions.add(`${name} = ?`, filter[name])
}

/** The use of a key in the form that a database returns. */
export interface KeyUseRow {
  readonly key: string
  readonly last_used_at: bigint
  readonly requests: bigint
  readonly spent: bigint
}

export function keyUseFromRow(row: KeyUseRow): KeyUse {
  return {
    key: row.key,
    lastUsedAt: Number(row.last_used_at),
    requests: Number(row.requests),
    spent: row.spent,
  }
}

/** The sums of an account in the form that a database returns. */
export interface SpentRow {
  readonly account: string
  readonly spent: bigint
  readonly recently_spent: bigint
}

/**
 * Combines the sums and last uses of accounts.
 * @param lastUses times of the last use in Unix milliseconds.
 */
export function accountUsesOf(
  spent: readonly SpentRow[],
  lastUses: ReadonlyMap<string, number>,
): AccountUse[] {
  const sums = new Map(spent.map((row) => [row.account, row]))
  return [...new Set([...sums.keys(), ...lastUses.keys()])].map((account) => ({
    account,
    lastUsedAt: lastUses.get(account) ?? null,
    spent: sums.get(account)?.spent ?? 0n,
    recentlySpent: sums.get(account)?.recently_spent ?? 0n,
  }))
}
