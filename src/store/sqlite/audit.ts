import type { Database, Statement } from "bun:sqlite"
import type { AuditRecord } from "../../accounting/chained-records.ts"
import { GENESIS_HASH, hashAudit } from "../../accounting/hash-chain.ts"
import type { AuditFilter, NewAuditRecord } from "../audit.ts"
import { Conditions } from "./conditions.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Idempotency } from "./idempotency.ts"
import type { Transactions } from "./transactions.ts"

interface AuditRow {
  number: bigint
  at: bigint
  actor_kind: string
  actor_id: string | null
  actor_name: string
  action: string
  account: string | null
  target: string | null
  before_body: string | null
  after_body: string | null
  address: string | null
  previous_hash: string
  hash: string
}

const COLUMNS =
  "number, at, actor_kind, actor_id, actor_name, action, account, target, before_body, after_body, address, previous_hash, hash"

function auditFromRow(row: AuditRow): AuditRecord {
  return {
    number: Number(row.number),
    at: Number(row.at),
    actorKind: row.actor_kind as AuditRecord["actorKind"],
    actorId: row.actor_id,
    actorName: row.actor_name,
    action: row.action,
    account: row.account,
    target: row.target,
    before: row.before_body,
    after: row.after_body,
    address: row.address,
    previousHash: row.previous_hash,
    hash: row.hash,
  }
}

/** The audit log. What writes expects to run inside a transaction. */
export class AuditTrail {
  readonly #database: Database
  readonly #insert: Statement<unknown, (string | bigint | null)[]>
  readonly #end: Statement<Pick<AuditRow, "number" | "hash">, []>

  readonly #idempotency: Idempotency

  constructor(database: Database, idempotency: Idempotency) {
    this.#database = database
    this.#idempotency = idempotency
    this.#insert = database.prepare(
      `INSERT INTO audit (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#end = database.prepare("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")
  }

  /** @throws StoreError `conflict` when the change was made under a claim that now belongs to another request. */
  append({ claim, ...change }: NewAuditRecord): AuditRecord {
    if (claim !== undefined) this.#idempotency.markDone(claim)
    const end = this.#end.get() ?? { number: 0n, hash: GENESIS_HASH }
    const unhashed = { ...change, number: Number(end.number) + 1, previousHash: end.hash }
    const record = { ...unhashed, hash: hashAudit(unhashed) }
    this.#insert.run(
      BigInt(record.number),
      BigInt(record.at),
      record.actorKind,
      record.actorId,
      record.actorName,
      record.action,
      record.account,
      record.target,
      record.before,
      record.after,
      record.address,
      record.previousHash,
      record.hash,
    )
    return record
  }

  /** The newest first, those below a number; null starts at the newest. */
  list(filter: AuditFilter, before: number | null, limit: number): AuditRecord[] {
    const conditions = new Conditions()
    conditions.among("account", filter.accounts)
    addActor(conditions, filter)
    addMentions(conditions, filter)
    conditions.add("action GLOB ?", filter.action)
    conditions.add("target = ?", filter.target)
    conditions.add("at >= ?", filter.from)
    conditions.add("at < ?", filter.to)
    conditions.add("number < ?", before ?? undefined)
    const rows = this.#database
      .query<AuditRow, (string | bigint)[]>(
        `SELECT ${COLUMNS} FROM audit ${conditions.where} ORDER BY number DESC LIMIT ?`,
      )
      .all(...conditions.values, BigInt(limit))
    return rows.map(auditFromRow)
  }

  /** Records that contain one of these lowercase texts, in any case, in what is stored in clear. */
  mentioning(texts: readonly string[]): AuditRecord[] {
    if (texts.length === 0) return []
    const conditions = texts.map((_, index) => {
      const text = `?${index + 1}`
      const isActor = `actor_name NOT LIKE 'sealed:%' AND (actor_id = ${text} OR lower(actor_name) = ${text})`
      return `${isActor} OR target = ${text} OR instr(lower(before_body), ${text}) > 0 OR instr(lower(after_body), ${text}) > 0`
    })
    return this.#database
      .query<AuditRow, string[]>(
        `SELECT ${COLUMNS} FROM audit WHERE ${conditions.join(" OR ")} ORDER BY number`,
      )
      .all(...texts)
      .map(auditFromRow)
  }
}

/** Whose records: those of a person by their key, all others by what is stored in clear. */
function addActor(conditions: Conditions, { actor, people = [] }: AuditFilter): void {
  if (actor === undefined) return
  const person = "substr(actor_name, 8, instr(substr(actor_name, 8), ':') - 1)"
  conditions.always(
    `(actor_id = ? OR CASE WHEN actor_name LIKE 'sealed:%'
      THEN ${person} IN (SELECT value FROM json_each(?)) ELSE instr(lower(actor_name), lower(?)) > 0 END)`,
  )
  conditions.values.push(actor, JSON.stringify(people), actor)
}

function addMentions(conditions: Conditions, { mentions }: AuditFilter): void {
  if (mentions === undefined) return
  conditions.always(
    `EXISTS (SELECT 1 FROM json_each(?)
      WHERE instr(lower(before_body), lower(value)) > 0 OR instr(lower(after_body), lower(value)) > 0)`,
  )
  conditions.values.push(JSON.stringify(mentions))
}

interface AuditParts {
  readonly transactions: Transactions
  readonly trail: AuditTrail
}

export function auditMethods({ transactions, trail }: AuditParts): DirectStore["audit"] {
  return {
    list: (filter, before, limit) => trail.list(filter, before, limit),
    append: (record) => transactions.atomically(() => trail.append(record)),
  }
}
