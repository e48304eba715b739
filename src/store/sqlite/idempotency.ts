import type { Database, Statement } from "bun:sqlite"
import type {
  ClaimInput,
  IdempotencyRecord,
  IdempotencyResult,
  IdempotencyState,
  IdempotencyStep,
  KeepResult,
  KeptResponse,
} from "../idempotency.ts"
import { StoreError } from "../store-error.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Transactions } from "./transactions.ts"

interface ClaimRow {
  scope: string
  key: string
  fingerprint: string
  request: string
  node: string
  claimed_at: bigint
  rights: string
  state: IdempotencyState
}

const COLUMNS = "scope, key, fingerprint, request, node, claimed_at, rights, state"
/** Maximum claims that one sweep deletes. A sweep blocks other writers. */
const SWEEP_BATCH = 5_000
/** The scope of the row with the totals of all scopes. */
const ALL_SCOPES = ""

/** Stores idempotency keys. Methods that write must run inside a transaction. */
export class Idempotency {
  readonly #database: Database
  readonly #find: Statement<ClaimRow, [string, string]>

  constructor(database: Database) {
    this.#database = database
    this.#find = database.prepare(`SELECT ${COLUMNS} FROM idempotency WHERE scope = ? AND key = ?`)
  }

  perform(step: IdempotencyStep): IdempotencyResult {
    switch (step.kind) {
      case "claim":
        return this.#claim(step.claim)
      case "keep":
        return this.#keep(step.response)
      case "drop":
        return this.#drop(step.request)
      case "release":
        return this.#release(step.request)
    }
  }

  #claim(claim: ClaimInput): IdempotencyRecord | null {
    const { scope, key, request, node, rights } = claim
    const found = this.#find.get(scope, key)
    if (found && Number(found.claimed_at) > claim.expired) {
      if (found.state !== "running" || found.request !== claim.replaces) return recordOf(found)
      this.#database.run(
        "UPDATE idempotency SET request = ?, node = ?, claimed_at = ?, rights = ? WHERE scope = ? AND key = ?",
        [request, node, BigInt(claim.at), rights, scope, key],
      )
      return this.#require(scope, key)
    }
    if (found) this.#database.run("DELETE FROM idempotency WHERE request = ?", [found.request])
    if (this.#totals(scope).keys >= claim.maxKeys) return null
    this.#database.run("INSERT INTO idempotency VALUES (?, ?, ?, ?, ?, ?, ?, 'running', 0)", [
      scope,
      key,
      claim.fingerprint,
      request,
      node,
      BigInt(claim.at),
      rights,
    ])
    return this.#require(scope, key)
  }

  #keep({ request, size, maxOfScope, maxOfAll }: KeptResponse): KeepResult {
    const kept = this.#database
      .query<{ scope: string }, [bigint, string]>(
        "UPDATE idempotency SET state = 'kept', size = ? WHERE request = ? AND state IN ('running', 'done') RETURNING scope",
      )
      .get(BigInt(size), request)
    if (kept === null) return { isKept: false, dropped: [] }
    const dropped = [...this.#shrink(kept.scope, maxOfScope), ...this.#shrink(ALL_SCOPES, maxOfAll)]
    return { isKept: !dropped.includes(request), dropped }
  }

  #drop(request: string): boolean {
    this.#database.run("UPDATE idempotency SET state = 'done', size = 0 WHERE request = ?", [
      request,
    ])
    return true
  }

  #release(request: string): boolean {
    const { changes } = this.#database.run(
      "DELETE FROM idempotency WHERE request = ? AND state = 'running'",
      [request],
    )
    return changes > 0
  }

  sweep(expired: number): string[] {
    const claims = this.#database
      .query<{ request: string }, [bigint, bigint]>(
        "SELECT request FROM idempotency WHERE claimed_at <= ? LIMIT ?",
      )
      .all(BigInt(expired), BigInt(SWEEP_BATCH))
    for (const { request } of claims) {
      this.#database.run("DELETE FROM idempotency WHERE request = ?", [request])
    }
    return claims.map(({ request }) => request)
  }

  /** Drops the oldest responses to make room for a new response, which may itself be dropped. */
  #shrink(scope: string, max: number): string[] {
    const dropped: string[] = []
    const oldest = this.#database.query<{ request: string }, [string]>(
      `SELECT request FROM idempotency WHERE state = 'kept' ${scope === ALL_SCOPES ? "AND ?1 = ''" : "AND scope = ?1"}
       ORDER BY claimed_at, request LIMIT 1`,
    )
    while (this.#totals(scope).bytes > max) {
      const row = oldest.get(scope)
      if (!row) break
      this.#drop(row.request)
      dropped.push(row.request)
    }
    return dropped
  }

  #totals(scope: string): { readonly keys: number; readonly bytes: number } {
    const row = this.#database
      .query<{ keys: bigint; bytes: bigint }, [string]>(
        "SELECT keys, bytes FROM idempotency_totals WHERE scope = ?",
      )
      .get(scope)
    return { keys: Number(row?.keys ?? 0n), bytes: Number(row?.bytes ?? 0n) }
  }

  #require(scope: string, key: string): IdempotencyRecord {
    const row = this.#find.get(scope, key)
    if (!row) throw new StoreError("not_found", "there is no such claim")
    return recordOf(row)
  }
}

export function idempotencyMethods(
  transactions: Transactions,
  idempotency: Idempotency,
): DirectStore["idempotency"] {
  return {
    perform: (steps) =>
      transactions.atomically(() => steps.map((step) => idempotency.perform(step))),
    sweep: (expired) => transactions.atomically(() => idempotency.sweep(expired)),
  }
}

function recordOf(row: ClaimRow): IdempotencyRecord {
  const { scope, key, fingerprint, request, node, rights, state } = row
  return { scope, key, fingerprint, request, node, at: Number(row.claimed_at), rights, state }
}
