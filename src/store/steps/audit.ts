import type { AuditRecord } from "../../accounting/chained-records.ts"
import { GENESIS_HASH, hashAudit } from "../../accounting/hash-chain.ts"
import type { AuditFilter, NewAuditRecord } from "../audit.ts"
import { StoreError } from "../store-error.ts"
import type { Store } from "../store.ts"
import { contains, eachOf, matchesGlob, oneOf, perEngine, sql, type Sql, where } from "./sql.ts"
import {
  row,
  rows,
  run,
  runOnPostgresql,
  statements,
  type Step,
  type StepMethods,
  transaction,
} from "./step.ts"

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

const SELECT = sql`SELECT number, at, actor_kind, actor_id, actor_name, action, account, target, before_body, after_body,
  address, previous_hash, hash FROM audit`

/** Whether the actor's name is encrypted with the key of a person. */
const IS_ENCRYPTED = sql`substr(actor_name, 1, 10) = 'encrypted:'`

/** The id of the person whose key encrypts the name. */
const PERSON = perEngine({
  sqlite: sql`substr(actor_name, 11, instr(substr(actor_name, 11), ':') - 1)`,
  postgresql: sql`split_part(actor_name, ':', 2)`,
})

/**
 * Selects the last record. On PostgreSQL, a separate row with its number and hash is locked until the transaction ends.
 */
const END = perEngine({
  sqlite: sql`audit ORDER BY number DESC LIMIT 1`,
  postgresql: sql`chain_ends WHERE name = 'audit' FOR UPDATE`,
})

export const auditSteps: StepMethods<Store["audit"]> = {
  list: statements(list),
  append: transaction(appendAudit),
}

/** Makes a change and writes its record in one transaction. */
export function* audited<Result>(record: NewAuditRecord, change: Step<Result>): Step<Result> {
  const result = yield* change
  yield* appendAudit(record)
  return result
}

/**
 * Appends a record. This must be the last step in the transaction of a change, because it locks the end of the log.
 * @throws StoreError `conflict` if the change was made under a claim that now belongs to another request.
 */
export function* appendAudit({ claim, ...change }: NewAuditRecord): Step<AuditRecord> {
  if (claim !== undefined) yield* markDone(claim)
  const end = yield* row<Pick<AuditRow, "number" | "hash">>(sql`SELECT number, hash FROM ${END}`)
  const { number, hash: previousHash } = end ?? { number: 0n, hash: GENESIS_HASH }
  const unhashed = { ...change, number: Number(number) + 1, previousHash }
  const record = { ...unhashed, hash: hashAudit(unhashed) }
  yield* run(
    sql`INSERT INTO audit (number, at, actor_kind, actor_id, actor_name, action, account, target, before_body, after_body,
        address, previous_hash, hash)
      VALUES (${record.number}, ${record.at}, ${record.actorKind}, ${record.actorId}, ${record.actorName},
        ${record.action}, ${record.account}, ${record.target}, ${record.before}, ${record.after}, ${record.address},
        ${record.previousHash}, ${record.hash})`,
  )
  yield* runOnPostgresql(
    sql`UPDATE chain_ends SET number = ${record.number}, hash = ${record.hash} WHERE name = 'audit'`,
  )
  return record
}

/** Marks the work of a request as done. @throws StoreError `conflict` if its claim now belongs to another request. */
function* markDone(request: string): Step<void> {
  const changed = yield* run(
    sql`UPDATE idempotency SET state = 'done' WHERE request = ${request} AND state IN ('running', 'done')`,
  )
  if (changed === 0) {
    throw new StoreError("conflict", "the idempotency key of this request was taken over")
  }
}

function* list(filter: AuditFilter, before: number | null, limit: number): Step<AuditRecord[]> {
  const { accounts, actor, people = [], mentions, action, target, above, from, to } = filter
  const found = yield* rows<AuditRow>(
    sql`${SELECT} ${where(
      accounts && sql`account ${oneOf(accounts)}`,
      actor !== undefined && isBy(actor, people),
      mentions && isAbout(mentions),
      action !== undefined && sql`${matchesGlob(sql`action`, action)}`,
      target !== undefined && sql`target = ${target}`,
      above !== undefined && sql`number > ${above}`,
      from !== undefined && sql`at >= ${from}`,
      to !== undefined && sql`at < ${to}`,
      before !== null && sql`number < ${before}`,
    )} ORDER BY number DESC LIMIT ${limit}`,
  )
  return found.map(auditFromRow)
}

/** Matches the records of an actor. Records of a person match by the person's key, and all others by plain text. */
function isBy(actor: string, people: readonly string[]): Sql {
  return sql`(actor_id = ${actor} OR CASE WHEN ${IS_ENCRYPTED} THEN ${PERSON} IN (SELECT value FROM ${eachOf(people)})
    ELSE ${contains(sql`lower(actor_name)`, sql`lower(${actor})`)} END)`
}

function isAbout(mentions: readonly string[]): Sql {
  const text = sql`lower(value)`
  return sql`EXISTS (SELECT 1 FROM ${eachOf(mentions)}
    WHERE ${contains(sql`lower(before_body)`, text)} OR ${contains(sql`lower(after_body)`, text)})`
}

/** Returns records that contain one of these lowercase texts, in any case, outside of encrypted names. */
export function* auditMentioning(texts: readonly string[]): Step<AuditRecord[]> {
  const text = sql`value`
  const found = yield* rows<AuditRow>(
    sql`${SELECT} WHERE EXISTS (SELECT 1 FROM ${eachOf(texts)}
        WHERE NOT ${IS_ENCRYPTED} AND (actor_id = value OR lower(actor_name) = value) OR target = value
          OR ${contains(sql`lower(before_body)`, text)} OR ${contains(sql`lower(after_body)`, text)})
      ORDER BY number`,
  )
  return found.map(auditFromRow)
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
