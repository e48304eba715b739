import { AdaptiveTimeout } from "../adaptive-timeout.ts"
import type { Reports, RequestReports } from "../reports.ts"
import type { KeyUse, UsageFilter, UsageGroup } from "../requests.ts"
import { accountUses } from "./account-uses.ts"
import { isLong, isOfSegments } from "../columns/usage-of-segments.ts"
import type { ThreadOnDemand } from "../threads/thread-on-demand.ts"
import { latencies } from "./answer-times.ts"
import { keyUseFromRow, type KeyUseRow } from "../usage-sums.ts"
import { texts } from "./arrays.ts"
import type { PostgresClient, Statements } from "./client.ts"
import { explaining } from "./explain-failure.ts"
import { countRequests, reachOfMatches } from "./requests-count.ts"
import { listRequests } from "./requests-list.ts"
import { findNames, UsedModels } from "./requests-names.ts"
import { reachOf } from "./requests-reach.ts"
import { sumUsage, usageSeries } from "./requests-usage.ts"
import {
  type SegmentMethods,
  type SegmentsAddress,
  segmentsOnDemand,
} from "./segments-on-demand.ts"

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
      usageSeries: async (filter, series) =>
        (await segmentsFor(filter, series.group))?.usageSeries(filter, series) ??
        usageSeries(client, filter, series),
      sampleAnswers: async (filter, group, names) =>
        (await segmentUsage()).sampleAnswers(filter, group, names),
      latencies: (accounts, from) => latencies(client, accounts, from),
      keyUses: (keys) => keyUses(client, keys),
      accountUses: (filter) => accountUses(client, filter),
      keyNames: (keys) => keyNames(client, keys),
    }
    this.#reports = explaining(reports, address.place)
  }

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
