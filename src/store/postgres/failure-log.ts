import type {
  FailedAttempt,
  FailedRequest,
  FailureFilter,
  FailureLimits,
  FailureLog,
} from "../failure-log.ts"
import {
  ATTEMPT_COLUMNS,
  failureFromRow,
  type NumberedRow,
  REQUEST_COLUMNS,
} from "../failure-rows.ts"
import type { TimePosition } from "../time-position.ts"
import { bigints, texts } from "./arrays.ts"
import type { PostgresClient } from "./client.ts"
import { Conditions, namesNothing } from "./conditions.ts"
import { globPattern } from "../glob.ts"

/** Requests and attempts that failed. Each statement may run twice. */
export class PostgresFailureLog implements FailureLog {
  readonly #client: PostgresClient

  constructor(client: PostgresClient) {
    this.#client = client
  }

  async add(requests: readonly FailedRequest[], attempts: readonly FailedAttempt[]): Promise<void> {
    if (requests.length > 0) await this.#addRequests(requests)
    if (attempts.length > 0) await this.#addAttempts(attempts)
  }

  async #addRequests(failed: readonly FailedRequest[]): Promise<void> {
    await this.#client.run(
      `INSERT INTO failed_requests (${REQUEST_COLUMNS})
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[],
         $7::text[], $8::text[], $9::text[], $10::text[]) ON CONFLICT DO NOTHING`,
      [
        texts(failed.map(({ request }) => request)),
        bigints(failed.map(({ at }) => BigInt(at))),
        texts(failed.map(({ endpoint }) => endpoint)),
        bigints(failed.map(({ status }) => BigInt(status))),
        texts(failed.map(({ kind }) => kind)),
        texts(failed.map(({ parameter }) => parameter)),
        texts(failed.map(({ message }) => message)),
        texts(failed.map(({ account }) => account)),
        texts(failed.map(({ key }) => key)),
        texts(failed.map(({ model }) => model)),
      ],
    )
  }

  async #addAttempts(failed: readonly FailedAttempt[]): Promise<void> {
    await this.#client.run(
      `INSERT INTO failed_attempts (${ATTEMPT_COLUMNS})
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[],
         $7::text[]) ON CONFLICT DO NOTHING`,
      [
        texts(failed.map(({ request }) => request)),
        bigints(failed.map(({ at }) => BigInt(at))),
        texts(failed.map(({ deployment }) => deployment)),
        bigints(failed.map(({ status }) => BigInt(status))),
        texts(failed.map(({ kind }) => kind)),
        texts(failed.map(({ code }) => code)),
        texts(failed.map(({ message }) => message)),
      ],
    )
  }

  async find(request: string): Promise<FailedRequest | null> {
    if (namesNothing({ request })) return null
    const row = await this.#client.row<NumberedRow<FailedRequest>>(
      `SELECT ${REQUEST_COLUMNS} FROM failed_requests WHERE request = $1`,
      [request],
    )
    return row && failureFromRow<FailedRequest>(row)
  }

  async attempts(request: string): Promise<FailedAttempt[]> {
    if (namesNothing({ request })) return []
    const rows = await this.#client.rows<NumberedRow<FailedAttempt>>(
      `SELECT ${ATTEMPT_COLUMNS} FROM failed_attempts WHERE request = $1 ORDER BY at, deployment`,
      [request],
    )
    return rows.map((row) => failureFromRow<FailedAttempt>(row))
  }

  async list(
    filter: FailureFilter,
    after: TimePosition | null,
    limit: number,
  ): Promise<FailedRequest[]> {
    if (namesNothing(filter)) return []
    const conditions = conditionsOf(filter)
    conditions.after("(at, request) <", after)
    const rows = await this.#client.rows<NumberedRow<FailedRequest>>(
      `SELECT ${REQUEST_COLUMNS} FROM failed_requests ${conditions.where}
       ORDER BY at DESC, request DESC LIMIT ${conditions.place(BigInt(limit))}`,
      conditions.values,
    )
    return rows.map((row) => failureFromRow<FailedRequest>(row))
  }

  async count(filter: FailureFilter, step: number): Promise<{ at: number; count: number }[]> {
    if (namesNothing(filter)) return []
    const conditions = conditionsOf(filter)
    const rows = await this.#client.rows<{ part: bigint; count: bigint }>(
      `SELECT at / ${step} AS part, count(*) AS count FROM failed_requests ${conditions.where} GROUP BY 1`,
      conditions.values,
    )
    return rows.map(({ part, count }) => ({ at: Number(part) * step, count: Number(count) }))
  }

  async sweep({ before, requests, attempts }: FailureLimits): Promise<void> {
    const client = this.#client
    await client.run("DELETE FROM failed_requests WHERE at < $1", [BigInt(before)])
    await client.run("DELETE FROM failed_attempts WHERE at < $1", [BigInt(before)])
    await client.run(
      `DELETE FROM failed_requests WHERE request IN (SELECT request FROM (
         SELECT request, row_number() OVER (PARTITION BY account ORDER BY at DESC, request DESC) AS place
         FROM failed_requests) AS placed WHERE place > $1)`,
      [BigInt(requests)],
    )
    await client.run(
      "DELETE FROM failed_attempts WHERE at <= (SELECT at FROM failed_attempts ORDER BY at DESC LIMIT 1 OFFSET $1)",
      [BigInt(attempts)],
    )
  }
}

function conditionsOf(filter: FailureFilter): Conditions {
  const conditions = new Conditions()
  conditions.among("account", filter.accounts)
  conditions.add("key = ?", filter.key)
  conditions.add("endpoint = ?", filter.endpoint)
  conditions.add("kind = ?", filter.kind)
  for (const kind of filter.without ?? []) conditions.add("kind <> ?", kind)
  conditions.add("model LIKE ?", filter.model && globPattern(filter.model))
  conditions.add("(request = ? OR strpos(lower(message), lower(?)) > 0)", filter.search)
  conditions.add("at >= ?", filter.from)
  conditions.add("at < ?", filter.to)
  return conditions
}
