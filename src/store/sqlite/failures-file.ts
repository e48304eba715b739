import { Database } from "bun:sqlite"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import type { FailedAttempt, FailedRequest, FailureFilter, FailureLimits } from "../failure-log.ts"
import {
  ATTEMPT_COLUMNS,
  attemptValues,
  failureFromRow,
  type NumberedRow,
  REQUEST_COLUMNS,
  requestValues,
} from "../failure-rows.ts"
import { makePrivateFile } from "../private-file.ts"
import type { TimePosition } from "../time-position.ts"
import { Conditions } from "./conditions.ts"
import { migrate } from "./migrate.ts"
import { FAILURES_SCHEMA } from "./schemas/failures.ts"
import { useWriteAheadLog } from "./write-ahead-log.ts"

/** How long one process waits for another, milliseconds. */
const BUSY_TIME = 10_000

/** Where failures are kept: in a file of its own next to the ledger, which may be deleted. */
export function failuresPath(databasePath: string): string {
  return join(dirname(databasePath), "failures.db")
}

/** Requests and attempts that failed, on the reports' thread. */
export class FailuresFile implements Disposable {
  readonly #path: string
  #database: Database | undefined

  constructor(databasePath: string) {
    this.#path = failuresPath(databasePath)
  }

  add(requests: readonly FailedRequest[], attempts: readonly FailedAttempt[]): void {
    const database = this.#open()
    const request = database.query(
      `INSERT OR IGNORE INTO failed_requests (${REQUEST_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    const attempt = database.query(
      `INSERT OR IGNORE INTO failed_attempts (${ATTEMPT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    database
      .transaction(() => {
        for (const failed of requests) request.run(...requestValues(failed))
        for (const failed of attempts) attempt.run(...attemptValues(failed))
      })
      .immediate()
  }

  find(request: string): FailedRequest | null {
    if (!existsSync(this.#path)) return null
    const row = this.#open()
      .query<NumberedRow<FailedRequest>, [string]>(
        `SELECT ${REQUEST_COLUMNS} FROM failed_requests WHERE request = ?`,
      )
      .get(request)
    return row && failureFromRow<FailedRequest>(row)
  }

  attempts(request: string): FailedAttempt[] {
    if (!existsSync(this.#path)) return []
    return this.#open()
      .query<NumberedRow<FailedAttempt>, [string]>(
        `SELECT ${ATTEMPT_COLUMNS} FROM failed_attempts WHERE request = ? ORDER BY at`,
      )
      .all(request)
      .map((row) => failureFromRow<FailedAttempt>(row))
  }

  list(filter: FailureFilter, after: TimePosition | null, limit: number): FailedRequest[] {
    if (!existsSync(this.#path)) return []
    const conditions = conditionsOf(filter)
    if (after !== null) {
      conditions.always("(at, request) < (?, ?)")
      conditions.values.push(BigInt(after.at), after.id)
    }
    return this.#open()
      .query<NumberedRow<FailedRequest>, (string | bigint)[]>(
        `SELECT ${REQUEST_COLUMNS} FROM failed_requests ${conditions.where}
         ORDER BY at DESC, request DESC LIMIT ?`,
      )
      .all(...conditions.values, BigInt(limit))
      .map((row) => failureFromRow<FailedRequest>(row))
  }

  count(filter: FailureFilter, step: number): { at: number; count: number }[] {
    if (!existsSync(this.#path)) return []
    const conditions = conditionsOf(filter)
    return this.#open()
      .query<{ part: bigint; count: bigint }, (string | bigint)[]>(
        `SELECT at / ${step} AS part, count(*) AS count FROM failed_requests ${conditions.where} GROUP BY part`,
      )
      .all(...conditions.values)
      .map(({ part, count }) => ({ at: Number(part) * step, count: Number(count) }))
  }

  sweep({ before, requests, attempts }: FailureLimits): void {
    if (!existsSync(this.#path)) return
    const database = this.#open()
    database.run("DELETE FROM failed_requests WHERE at < ?", [BigInt(before)])
    database.run("DELETE FROM failed_attempts WHERE at < ?", [BigInt(before)])
    database.run(
      `DELETE FROM failed_requests WHERE request IN (SELECT request FROM (
         SELECT request, row_number() OVER (PARTITION BY account ORDER BY at DESC, request DESC) AS place
         FROM failed_requests) WHERE place > ?)`,
      [BigInt(requests)],
    )
    database.run(
      "DELETE FROM failed_attempts WHERE at <= (SELECT at FROM failed_attempts ORDER BY at DESC LIMIT 1 OFFSET ?)",
      [BigInt(attempts)],
    )
  }

  /** What is lost in a crash is missed by no one, so no write waits for the disk. */
  #open(): Database {
    if (this.#database) return this.#database
    makePrivateFile(this.#path)
    const database = new Database(this.#path, { create: true, strict: true, safeIntegers: true })
    database.run(`PRAGMA busy_timeout = ${BUSY_TIME}`)
    useWriteAheadLog(database)
    database.run("PRAGMA synchronous = NORMAL")
    migrate(database, FAILURES_SCHEMA)
    this.#database = database
    return database
  }

  [Symbol.dispose](): void {
    this.#database?.close()
  }
}

function conditionsOf(filter: FailureFilter): Conditions {
  const conditions = new Conditions()
  conditions.among("account", filter.accounts)
  conditions.add("key = ?", filter.key)
  conditions.add("endpoint = ?", filter.endpoint)
  conditions.add("kind = ?", filter.kind)
  for (const kind of filter.without ?? []) conditions.add("kind <> ?", kind)
  conditions.add("model GLOB ?", filter.model)
  conditions.add("(request = ? OR instr(lower(message), lower(?)) > 0)", filter.search, 2)
  conditions.add("at >= ?", filter.from)
  conditions.add("at < ?", filter.to)
  return conditions
}
