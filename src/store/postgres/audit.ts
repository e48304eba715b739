import type { AuditRecord } from "../../accounting/chained-records.ts"
import { hashAudit } from "../../accounting/hash-chain.ts"
import type { AuditFilter, NewAuditRecord } from "../audit.ts"
import type { Store } from "../store.ts"
import { texts } from "./arrays.ts"
import type { PostgresClient, Statements } from "./client.ts"
import { Conditions } from "./conditions.ts"
import { lockChainEnd, moveChainEnd } from "./chain-ends.ts"
import { globPattern } from "./glob.ts"
import { markDone } from "./idempotency.ts"

interface AuditRow {
  readonly number: bigint
  readonly at: bigint
  readonly actor_kind: AuditRecord["actorKind"]
  readonly actor_id: string | null
  readonly actor_name: string
  readonly action: string
  readonly account: string | null
  readonly target: string | null
  readonly before_body: string | null
  readonly after_body: string | null
  readonly address: string | null
  readonly previous_hash: string
  readonly hash: string
}

const COLUMNS =
  "number, at, actor_kind, actor_id, actor_name, action, account, target, before_body, after_body, address, previous_hash, hash"

export function auditMethods(client: PostgresClient): Store["audit"] {
  return {
    list: (filter, before, limit) => list(client, filter, { before, limit }),
    append: (record) => client.transaction((transaction) => appendAudit(transaction, record)),
  }
}

/**
 * Writes a record into the audit log, as the last statements of the transaction that makes the change: the end of the log
 * is locked from here on.
 * @throws StoreError `conflict` when the change was made under a claim that now belongs to another request.
 */
export async function appendAudit(
  transaction: Statements,
  { claim, ...change }: NewAuditRecord,
): Promise<AuditRecord> {
  if (claim !== undefined) await markDone(transaction, claim)
  const end = await lockChainEnd(transaction, "audit")
  const unhashed = { ...change, number: end.number + 1, previousHash: end.hash }
  const record = { ...unhashed, hash: hashAudit(unhashed) }
  await transaction.run(
    `INSERT INTO audit (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
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
    ],
  )
  await moveChainEnd(transaction, "audit", record)
  return record
}

async function list(
  client: PostgresClient,
  filter: AuditFilter,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<AuditRecord[]> {
  const conditions = new Conditions()
  conditions.among("account", filter.accounts)
  addActor(conditions, filter)
  addMentions(conditions, filter)
  conditions.add(
    "action LIKE ?",
    filter.action === undefined ? undefined : globPattern(filter.action),
  )
  conditions.add("target = ?", filter.target)
  conditions.add("at >= ?", filter.from)
  conditions.add("at < ?", filter.to)
  conditions.add("number < ?", before ?? undefined)
  const rows = await client.rows<AuditRow>(
    `SELECT ${COLUMNS} FROM audit ${conditions.where} ORDER BY number DESC LIMIT ${conditions.place(BigInt(limit))}`,
    conditions.values,
  )
  return rows.map(auditFromRow)
}

/** Whose records: those of a person by their key, all others by what is stored in clear. */
function addActor(conditions: Conditions, { actor, people = [] }: AuditFilter): void {
  if (actor === undefined) return
  const own = conditions.place(actor)
  conditions.always(
    `(actor_id = ${own} OR CASE WHEN starts_with(actor_name, 'sealed:')
      THEN split_part(actor_name, ':', 2) = ANY(${conditions.place(texts(people))})
      ELSE strpos(lower(actor_name), lower(${own})) > 0 END)`,
  )
}

function addMentions(conditions: Conditions, { mentions }: AuditFilter): void {
  if (mentions === undefined) return
  conditions.always(
    `EXISTS (SELECT FROM unnest(${conditions.place(texts(mentions))}::text[]) AS sought (text)
      WHERE strpos(lower(before_body), lower(text)) > 0 OR strpos(lower(after_body), lower(text)) > 0)`,
  )
}

/** Records that contain one of these lowercase texts, in any case, in what is stored in clear. */
export async function auditMentioning(
  statements: Statements,
  sought: readonly string[],
): Promise<AuditRecord[]> {
  const columns = ["before_body", "after_body"]
  const contain = columns.map((column) => `strpos(lower(${column}), text) > 0`)
  const isActor =
    "NOT starts_with(actor_name, 'sealed:') AND (actor_id = text OR lower(actor_name) = text)"
  const rows = await statements.rows<AuditRow>(
    `SELECT ${COLUMNS} FROM audit WHERE EXISTS (
       SELECT FROM unnest($1::text[]) AS sought (text) WHERE ${[isActor, "target = text", ...contain].join(" OR ")})
     ORDER BY number`,
    [texts(sought)],
  )
  return rows.map(auditFromRow)
}

function auditFromRow(row: AuditRow): AuditRecord {
  return {
    number: Number(row.number),
    at: Number(row.at),
    actorKind: row.actor_kind,
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
