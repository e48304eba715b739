import type { Reports, RequestReports } from "../reports.ts"
import type { KeyUse } from "../requests.ts"
import { accountUses } from "./account-uses.ts"
import { latencies, sampleAnswers } from "./answer-times.ts"
import { texts } from "./arrays.ts"
import type { PostgresClient, Statements } from "./client.ts"
import { explaining } from "./explain-failure.ts"
import { countRequests } from "./requests-count.ts"
import { listRequests } from "./requests-list.ts"
import { reachOf } from "./requests-reach.ts"
import { sumUsage, usageSeries } from "./requests-usage.ts"

interface KeyUseRow {
  readonly key: string
  readonly last_used_at: bigint
  readonly requests: bigint
  readonly spent: bigint
}

/** Reads what is written together with the charges: it is always up to date. */
export class PostgresReports implements Reports {
  readonly #reports: RequestReports

  /** @param place of the database, for messages. */
  constructor(client: PostgresClient, place: string) {
    const reports: RequestReports = {
      list: (filter, after, limit, order = "newest") =>
        listRequests(client, filter, { after, limit, order }),
      reach: (filter, before, count) => reachOf(client, filter, before, count),
      count: (filter, step) => countRequests(client, filter, step),
      sumUsage: (filter, group) => sumUsage(client, filter, group),
      usageSeries: (filter, series) => usageSeries(client, filter, series),
      sampleAnswers: (filter) => sampleAnswers(client, filter),
      latencies: (accounts, from) => latencies(client, accounts, from),
      keyUses: (keys) => keyUses(client, keys),
      accountUses: (filter) => accountUses(client, filter),
      keyNames: (keys) => keyNames(client, keys),
    }
    this.#reports = explaining(reports, place)
  }

  async upToDate(): Promise<RequestReports> {
    return this.#reports
  }
}

async function keyUses(statements: Statements, keys: readonly string[]): Promise<KeyUse[]> {
  const rows = await statements.rows<KeyUseRow>(
    "SELECT key, last_used_at, requests, spent FROM key_uses WHERE key = ANY($1) AND requests > 0 ORDER BY key",
    [texts(keys)],
  )
  return rows.map((row) => ({
    key: row.key,
    lastUsedAt: Number(row.last_used_at),
    requests: Number(row.requests),
    spent: row.spent,
  }))
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
