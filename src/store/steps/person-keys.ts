import type { AuditRecord, EntryRecord } from "../../accounting/chained-records.ts"
import {
  ERASED,
  type PersonTraces,
  type RecordedRedaction,
  redactAudit,
  redactEntry,
  redactionOfAudit,
  redactionOfEntry,
  withSummary,
} from "../../accounting/redaction.ts"
import type { NewAuditRecord } from "../audit.ts"
import type { PersonKey, PersonToErase } from "../person-keys.ts"
import { rejections } from "../rejections.ts"
import type { Store } from "../store.ts"
import { appendAudit, auditMentioning } from "./audit.ts"
import { ENTRY_COLUMNS, entryFromRow, type EntryRow } from "./entry-rows.ts"
import { RecordColumns } from "./record-columns.ts"
import { contains, literal, oneOf, perEngine, sql } from "./sql.ts"
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

const REDACTION = new RecordColumns<RecordedRedaction>({
  record: "number",
  account: "text",
  number: "number",
  hash: "text",
})

/** Steps on the keys with which the names of people in records are encrypted, until a person is erased. */
export const personKeySteps: StepMethods<Store["personKeys"]> = {
  keys: statements(keys),
  findAddress: statements(findAddress),
  redactions: statements(redactions),
  keyOf: transaction(keyOf),
  keyOfAddress: transaction(keyOfAddress),
  erase: transaction(erase),
}

function* keys(people: readonly string[]): Step<PersonKey[]> {
  const found = yield* rows<PersonKey>(
    sql`SELECT person, key FROM person_keys WHERE person ${oneOf(people)}`,
  )
  return found.map(({ person, key }) => ({ person, key }))
}

function ofAddress(addressHash: string): Step<PersonKey | null> {
  return row(sql`SELECT person, key FROM person_keys WHERE address_hash = ${addressHash}`)
}

function* findAddress(addressHash: string): Step<string | null> {
  return (yield* ofAddress(addressHash))?.person ?? null
}

function redactions(): Step<RecordedRedaction[]> {
  return REDACTION.rows(sql`SELECT ${REDACTION.selected} FROM redactions`)
}

function* keyOf({ person, key }: PersonKey): Step<PersonKey> {
  yield* run(
    sql`INSERT INTO person_keys (person, key) VALUES (${person}, ${key}) ON CONFLICT (person) DO NOTHING`,
  )
  const [known] = yield* keys([person])
  return known ?? { person, key: null }
}

function* keyOfAddress(addressHash: string, { person, key }: PersonKey): Step<PersonKey> {
  yield* run(
    sql`INSERT INTO person_keys (person, address_hash, key) VALUES (${person}, ${addressHash}, ${key})
      ON CONFLICT (address_hash) DO NOTHING`,
  )
  return (yield* ofAddress(addressHash)) ?? { person, key: null }
}

function* erase(erased: PersonToErase, audit: NewAuditRecord): Step<void> {
  const { person, addresses } = erased
  if (person !== null) yield* leaveAccounts(person)
  yield* removeAddresses(erased)
  yield* destroyKeys(erased)
  const found = yield* auditMentioning([...addresses, ...(person === null ? [] : [person])])
  const records = found.flatMap((record) => redactAudit(record, erased) ?? [])
  const entries = yield* entriesBy(erased)
  const redacted = [...records.map(redactionOfAudit), ...entries.map(redactionOfEntry)]
  const { number } = yield* appendAudit({ ...audit, after: withSummary(audit.after, redacted) })
  // Redactions are inserted before the records are changed, because a trigger only allows changes that have a
  // redaction.
  for (const redaction of redacted) {
    const values = REDACTION.values({ ...redaction, record: number })
    yield* run(sql`INSERT INTO redactions (${REDACTION.names}) VALUES (${values})`)
  }
  for (const record of records) yield* writeRecord(record)
  for (const entry of entries) yield* writeAuthor(entry)
}

/** Removes a person's memberships. Each open account must keep an owner. */
function* leaveAccounts(person: string): Step<void> {
  yield* runOnPostgresql(
    sql`SELECT id FROM accounts WHERE id IN (SELECT account FROM members WHERE user_id = ${person})
      ORDER BY id FOR NO KEY UPDATE`,
  )
  const last = yield* row<{ account: string }>(
    sql`SELECT account FROM members JOIN accounts ON accounts.id = account
      WHERE user_id = ${person} AND role = 'owner' AND state <> 'closed' AND NOT EXISTS (
        SELECT 1 FROM members AS other
        WHERE other.account = members.account AND other.role = 'owner' AND other.user_id <> ${person})
      LIMIT 1`,
  )
  if (last) throw rejections.lastOwnerOf(last.account)
  yield* run(sql`DELETE FROM members WHERE user_id = ${person}`)
}

function* removeAddresses({ person, addresses }: PersonTraces): Step<void> {
  const own = oneOf(addresses)
  const id = person ?? ERASED
  yield* run(sql`DELETE FROM invitations WHERE lower(email) ${own}`)
  yield* run(sql`UPDATE invitations SET invited_by = ${id} WHERE lower(invited_by) ${own}`)
  yield* run(sql`UPDATE codes SET author = ${id} WHERE lower(author) ${own}`)
  const targets = sql`SELECT id FROM notice_targets WHERE channel = 'email' AND lower(hint) ${own}`
  yield* run(sql`DELETE FROM notice_deliveries WHERE state = 'pending' AND target IN (${targets})`)
  yield* run(sql`DELETE FROM notice_targets WHERE id IN (${targets})`)
  for (const address of addresses) {
    const quoted = JSON.stringify(address)
    yield* run(
      sql`UPDATE notices SET data = replace(data, ${quoted}, ${JSON.stringify(id)})
        WHERE ${contains(sql`data`, quoted)}`,
    )
  }
}

/** Returns the redacted entries of a person. The index on kinds is named, because SQLite would not choose it. */
function* entriesBy(traces: PersonTraces): Step<EntryRecord[]> {
  const entries = perEngine({
    sqlite: sql`entries INDEXED BY entries_by_kind`,
    postgresql: sql`entries`,
  })
  const found = yield* rows<EntryRow>(
    sql`SELECT ${literal(ENTRY_COLUMNS)} FROM ${entries}
      WHERE number IS NOT NULL AND kind <> 'charge' AND lower(author) ${oneOf(traces.addresses)}`,
  )
  return found.map((entry) => redactEntry(entryFromRow(entry), traces))
}

function* destroyKeys({ person, addressHashes, at }: PersonToErase): Step<void> {
  yield* run(sql`DELETE FROM person_keys WHERE address_hash ${oneOf(addressHashes)}`)
  if (person === null) return
  yield* run(
    sql`INSERT INTO person_keys (person, erased_at) VALUES (${person}, ${at})
      ON CONFLICT (person) DO UPDATE SET key = NULL, erased_at = excluded.erased_at`,
  )
}

function* writeRecord(record: AuditRecord): Step<void> {
  const { number, actorName, address, before, after } = record
  yield* run(
    sql`UPDATE audit SET actor_name = ${actorName}, address = ${address}, before_body = ${before}, after_body = ${after}
      WHERE number = ${number}`,
  )
}

function* writeAuthor({ account, number, at, author }: EntryRecord): Step<void> {
  yield* run(
    sql`UPDATE entries SET author = ${author} WHERE account = ${account} AND number = ${number} AND at = ${at}`,
  )
}
