import { HOUR_MS } from "#contract/durations.ts"
import { AdaptiveTimeout } from "../adaptive-timeout.ts"
import type { Reports, RequestReports } from "../reports.ts"
import type {
  KeyUse,
  UsageFilter,
  UsageGroup,
  Latencies,
  AccountUse,
  AccountUseFilter,
} from "../requests.ts"
import { isLong, isOfSegments } from "../columns/usage-of-segments.ts"
import type { ThreadOnDemand } from "../threads/thread-on-demand.ts"
import {
  keyUseFromRow,
  type KeyUseRow,
  type DurationRow,
  latenciesOf,
  LATENCY_SAMPLE,
  accountUsesOf,
  type SpentRow,
} from "../usage-sums.ts"
import { texts } from "./arrays.ts"
import type { PostgresClient, Statements } from "./client.ts"
import { explaining } from "./explain-failure.ts"
import { countRequests, reachOfMatches } from "./requests-count.ts"
import { listRequests } from "./requests-list.ts"
import { findNames, UsedModels } from "./requests-names.ts"
import { reachOf } from "./requests-count.ts"
import { sumUsage, usageSeries } from "./requests-usage.ts"
import {
  type SegmentMethods,
  type SegmentsAddress,
  segmentsOnDemand,
} from "./segments-on-demand.ts"
import { Conditions } from "./conditions.ts"
import { ofAccounts } from "./request-conditions.ts"
import { matchesNothing } from "../text-filters.ts"
import { usageChanges } from "./usage-changes.ts"

/**
 * Builds reports from sums and from segments of requests. The sums are written together with the charges, so that they
 * are always up to date.
 */
export class PostgresReports implements Reports, AsyncDisposable {
  readonly #reports: RequestReports
  readonly #segments: ThreadOnDemand<SegmentMethods>

  /** @param address the address of the database, for the thread that builds reports from segments. */
  constructor(client: PostgresClient, address: SegmentsAddress) {
    const segments = segmentsOnDemand(address)
    const timeout = new AdaptiveTimeout()
    const models = new UsedModels()
    const segmentUsage = async (): Promise<SegmentMethods["usage"]> => {
      const { usage } = await segments.get()
      await timeout.waitFor(usage.append())
      return usage
    }
    /** Returns the methods that read segments; undefined if hourly sums are sufficient. */
    const segmentsFor = async (
      filter: UsageFilter,
      group: UsageGroup,
    ): Promise<SegmentMethods["usage"] | undefined> => {
      if (isOfSegments(filter, group)) return segmentUsage()
      if (!isLong(filter)) return undefined
      const usage = await segmentUsage()
      return (await usage.covers(filter)) ? usage : undefined
    }
    this.#segments = segments
    const reports: RequestReports = {
      list: (filter, after, limit, order = "newest") =>
        listRequests(client, filter, { after, limit, order }),
      reach: (filter, before, count) => reachOf(client, filter, before, count),
      count: (filters, step) => countRequests(client, filters, step),
      reachOfMatches: (filters, count) => reachOfMatches(client, filters, count),
      names: (text, accounts) => findNames({ statements: client, models }, text, accounts),
      sumUsage: async (filter, group, first) =>
        (await segmentsFor(filter, group))?.sumUsage(filter, group, first) ??
        sumUsage(client, filter, group, first),
      usageChanges: (comparison, groups, count) =>
        usageChanges({ client, segmentUsage }, comparison, groups, count),
      usageSeries: async (filter, series) =>
        (await segmentsFor(filter, series.group))?.usageSeries(filter, series) ??
        usageSeries(client, filter, series),
      sampleResponses: async (filter, group, names) =>
        (await segmentUsage()).sampleResponses(filter, group, names),
      latencies: (accounts, from) => latencies(client, accounts, from),
      keyUses: (keys) => keyUses(client, keys),
      accountUses: (filter) => accountUses(client, filter),
      keyNames: (keys) => keyNames(client, keys),
    }
    this.#reports = explaining(reports, address.place)
  }

  /** Never true, because a request is added to the sums together with its charge. */
  readonly isBehind = false

  async upToDate(): Promise<RequestReports> {
    return this.#reports
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#segments[Symbol.asyncDispose]()
  }
}

async function keyUses(statements: Statements, keys: readonly string[]): Promise<KeyUse[]> {
  const rows = await statements.rows<KeyUseRow>(
    "SELECT key, last_used_at, requests, spent FROM key_uses WHERE key = ANY($1) AND requests > 0 ORDER BY key",
    [texts(keys)],
  )
  return rows.map(keyUseFromRow)
}

async function keyNames(
  statements: Statements,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await statements.rows<{ id: string; name: string }>(
    "SELECT id, name FROM keys WHERE id = ANY($1)",
    [texts(keys)],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

async function latencies(
  statements: Statements,
  accounts: readonly string[] | undefined,
  from: number,
): Promise<Latencies> {
  const conditions = new Conditions()
  conditions.add("at >= ?", from)
  conditions.always("status = 'settled' AND duration IS NOT NULL")
  const found = ofAccounts(conditions, accounts, {
    columns: "at, duration",
    end: `ORDER BY at DESC LIMIT ${LATENCY_SAMPLE}`,
  })
  return latenciesOf(await statements.rows<DurationRow>(found, conditions.values))
}

async function accountUses(
  statements: Statements,
  filter: AccountUseFilter,
): Promise<AccountUse[]> {
  if (matchesNothing(filter)) return []
  const [spent, last] = await Promise.all([
    spentOf(statements, filter),
    lastUses(statements, filter),
  ])
  return accountUsesOf(spent, new Map(last.map(({ account, at }) => [account, Number(at)])))
}

async function spentOf(
  statements: Statements,
  { accounts, from, recentFrom }: AccountUseFilter,
): Promise<readonly SpentRow[]> {
  const conditions = new Conditions()
  const recent = conditions.place(BigInt(Math.floor(recentFrom / HOUR_MS)))
  conditions.add("hour >= ?", Math.floor(from / HOUR_MS))
  conditions.among("account", accounts)
  const rows = await statements.rows<Record<keyof SpentRow, string>>(
    `SELECT account, sum(cost)::text AS spent,
       coalesce(sum(cost) FILTER (WHERE hour >= ${recent}), 0)::text AS recently_spent
     FROM usage_hours ${conditions.where} GROUP BY account`,
    conditions.values,
  )
  return rows.map((row) => ({
    account: row.account,
    spent: BigInt(row.spent),
    recently_spent: BigInt(row.recently_spent),
  }))
}

function lastUses(
  statements: Statements,
  { accounts }: AccountUseFilter,
): Promise<readonly { readonly account: string; readonly at: bigint }[]> {
  const conditions = new Conditions()
  conditions.always("uses.requests > 0")
  conditions.among("keys.account", accounts)
  return statements.rows(
    `SELECT keys.account, max(uses.last_used_at) AS at FROM keys JOIN key_uses AS uses ON uses.key = keys.id
     ${conditions.where} GROUP BY keys.account`,
    conditions.values,
  )
}
