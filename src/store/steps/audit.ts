import type { AuditRecord } from "../../accounting/chained-records.ts"
import { GENESIS_HASH, hashAudit } from "../../accounting/hash-chain.ts"
import {
  type AuditFilter,
  type AuditSearch,
  MAX_SEARCHED_RECORDS,
  type NewAuditRecord,
} from "../audit.ts"
import { StoreError } from "../store-error.ts"
import type { Store } from "../store.ts"
import { column, RecordColumns } from "./record-columns.ts"
import {
  anyOf,
  contains,
  containsAnyCase,
  eachOf,
  matchesGlob,
  oneOf,
  perEngine,
  sql,
  type Sql,
  where,
} from "./sql.ts"
import {
  row,
  run,
  runOnPostgresql,
  statements,
  type Step,
  type StepMethods,
  transaction,
} from "./step.ts"

const AUDIT = new RecordColumns<AuditRecord>({
  number: "number",
  at: "number",
  actorKind: "text",
  actorId: "text",
  actorName: "text",
  action: "text",
  account: "text",
  target: "text",
  before: column("text", sql`before_body`),
  after: column("text", sql`after_body`),
  address: "text",
  previousHash: "text",
  hash: "text",
})
const SELECT = sql`SELECT ${AUDIT.selected} FROM audit`

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
  const end = yield* row<{ number: bigint; hash: string }>(sql`SELECT number, hash FROM ${END}`)
  const { number, hash: previousHash } = end ?? { number: 0n, hash: GENESIS_HASH }
  const unhashed = { ...change, number: Number(number) + 1, previousHash }
  const record = { ...unhashed, hash: hashAudit(unhashed) }
  yield* run(sql`INSERT INTO audit (${AUDIT.names}) VALUES (${AUDIT.values(record)})`)
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

function list(filter: AuditFilter, before: number | null, limit: number): Step<AuditRecord[]> {
  const { accounts, actor, people = [], mentions, action, target, search } = filter
  const { above, from, to } = filter
  return AUDIT.rows(
    sql`${SELECT} ${where(
      accounts && sql`account ${oneOf(accounts)}`,
      actor !== undefined && isBy(actor, people),
      mentions && isAbout(mentions),
      action !== undefined && sql`${matchesGlob(sql`action`, action)}`,
      target !== undefined && sql`target = ${target}`,
      search && isFound(search),
      search && sql`number > (SELECT max(number) FROM audit) - ${MAX_SEARCHED_RECORDS}`,
      above !== undefined && sql`number > ${above}`,
      from !== undefined && sql`at >= ${from}`,
      to !== undefined && sql`at < ${to}`,
      before !== null && sql`number < ${before}`,
    )} ORDER BY number DESC LIMIT ${limit}`,
  )
}

/** Matches the records of an actor. Records of a person match by the person's key, and all others by plain text. */
function isBy(actor: string, people: readonly string[]): Sql {
  return sql`(actor_id = ${actor} OR CASE WHEN ${IS_ENCRYPTED} THEN ${PERSON} IN (SELECT value FROM ${eachOf(people)})
    ELSE ${contains(sql`lower(actor_name)`, sql`lower(${actor})`)} END)`
}

/** The names of the changed object in a record. Names of people are encrypted. */
const NAMES_OF_TARGET = [sql`before_body`, sql`after_body`].map((body) =>
  perEngine({
    sqlite: sql`json_extract(${body}, '$.name')`,
    postgresql: sql`CAST(${body} AS json) ->> 'name'`,
  }),
)

/** Matches records by their action, actor or target. Records of a change may lack the name of the changed object. */
function isFound({ text, action, people }: AuditSearch): Sql {
  return anyOf(
    isBy(text, people),
    action !== undefined && sql`${matchesGlob(sql`action`, action)}`,
    sql`${containsAnyCase(sql`target`, text)}`,
    ...NAMES_OF_TARGET.map(
      (name) =>
        sql`(${containsAnyCase(sql`${name}`, text)} AND substr(${name}, 1, 10) <> 'encrypted:')`,
    ),
    ...[sql`accounts`, sql`keys`].map(
      (table) => sql`target IN (SELECT id FROM ${table} WHERE ${containsAnyCase(sql`name`, text)})`,
    ),
    people.length > 0 && isOfPeople(people),
  )
}

/** Matches records whose target is one of these people, or that name them. */
function isOfPeople(people: readonly string[]): Sql {
  const name = sql`'encrypted:' || value || ':'`
  // Most records name no person, so they need not be compared with each of these people.
  return sql`(target ${oneOf(people)} OR (${contains(sql`coalesce(before_body, '') || coalesce(after_body, '')`, "encrypted:")}
    AND EXISTS (SELECT 1 FROM ${eachOf(people)}
      WHERE ${contains(sql`before_body`, name)} OR ${contains(sql`after_body`, name)})))`
}

function isAbout(mentions: readonly string[]): Sql {
  const text = sql`lower(value)`
  return sql`EXISTS (SELECT 1 FROM ${eachOf(mentions)}
    WHERE ${contains(sql`lower(before_body)`, text)} OR ${contains(sql`lower(after_body)`, text)})`
}

/** Returns records that contain one of these lowercase texts, in any case, outside of encrypted names. */
export function auditMentioning(texts: readonly string[]): Step<AuditRecord[]> {
  const text = sql`value`
  return AUDIT.rows(
    sql`${SELECT} WHERE EXISTS (SELECT 1 FROM ${eachOf(texts)}
        WHERE NOT ${IS_ENCRYPTED} AND (actor_id = value OR lower(actor_name) = value) OR target = value
          OR ${contains(sql`lower(before_body)`, text)} OR ${contains(sql`lower(after_body)`, text)})
      ORDER BY number`,
  )
}
