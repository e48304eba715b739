import type { AuditRecord, EntryRecord } from "../../accounting/chained-records.ts"
import {
  ERASED,
  type PersonTraces,
  type RecordedRedaction,
  type Redaction,
  redactAudit,
  redactEntry,
  redactionOfAudit,
  redactionOfEntry,
  withSummary,
} from "../../accounting/redaction.ts"
import type { NewAuditRecord } from "../audit.ts"
import type { PersonKey, PersonToErase } from "../people.ts"
import { refusals } from "../refusals.ts"
import type { Store } from "../store.ts"
import { texts } from "./arrays.ts"
import { appendAudit, auditMentioning } from "../steps/audit.ts"
import { runStep } from "./run-steps.ts"
import type { PostgresClient, Statements } from "./client.ts"
import { ENTRY_COLUMNS, entryFromRow, type EntryRow } from "../steps/entry-rows.ts"

interface RedactionRow {
  readonly record: bigint
  readonly account: string | null
  readonly number: bigint
  readonly hash: string
}

/** People as the ledger knows them: by ids, and by keys until they are erased. */
export function peopleMethods(client: PostgresClient): Store["people"] {
  return {
    keys: (people) => keys(client, people),
    findAddress: async (hash) => (await ofAddress(client, hash))?.person ?? null,
    redactions: () => redactions(client),
    keyOf: (fresh) => client.transaction((transaction) => keyOf(transaction, fresh)),
    keyOfAddress: (hash, fresh) =>
      client.transaction((transaction) => keyOfAddress(transaction, hash, fresh)),
    erase: (erased, audit) =>
      client.transaction((transaction) => erase(transaction, erased, audit)),
  }
}

async function keys(statements: Statements, people: readonly string[]): Promise<PersonKey[]> {
  const rows = await statements.rows<PersonKey>(
    "SELECT person, key FROM people WHERE person = ANY($1)",
    [texts(people)],
  )
  return rows.map(({ person, key }) => ({ person, key }))
}

function ofAddress(statements: Statements, addressHash: string): Promise<PersonKey | null> {
  return statements.row<PersonKey>("SELECT person, key FROM people WHERE address_hash = $1", [
    addressHash,
  ])
}

async function redactions(statements: Statements): Promise<RecordedRedaction[]> {
  const rows = await statements.rows<RedactionRow>(
    "SELECT record, account, number, hash FROM redactions",
  )
  return rows.map(({ record, account, number, hash }) => ({
    record: Number(record),
    account,
    number: Number(number),
    hash,
  }))
}

async function keyOf(transaction: Statements, { person, key }: PersonKey): Promise<PersonKey> {
  await transaction.run(
    "INSERT INTO people (person, key) VALUES ($1, $2) ON CONFLICT (person) DO NOTHING",
    [person, key],
  )
  const [known] = await keys(transaction, [person])
  return known ?? { person, key: null }
}

async function keyOfAddress(
  transaction: Statements,
  addressHash: string,
  { person, key }: PersonKey,
): Promise<PersonKey> {
  await transaction.run(
    `INSERT INTO people (person, address_hash, key) VALUES ($1, $2, $3)
     ON CONFLICT (address_hash) DO NOTHING`,
    [person, addressHash, key],
  )
  return (await ofAddress(transaction, addressHash)) ?? { person, key: null }
}

async function erase(
  transaction: Statements,
  erased: PersonToErase,
  audit: NewAuditRecord,
): Promise<void> {
  if (erased.person !== null) await leaveAccounts(transaction, erased.person)
  await removeAddresses(transaction, erased)
  await destroyKeys(transaction, erased)
  const found = await runStep(
    transaction,
    auditMentioning([...erased.addresses, ...(erased.person === null ? [] : [erased.person])]),
  )
  const records = found.flatMap((record) => redactAudit(record, erased) ?? [])
  const entries = await entriesBy(transaction, erased)
  const redacted = [...records.map(redactionOfAudit), ...entries.map(redactionOfEntry)]
  const { number } = await runStep(
    transaction,
    appendAudit({ ...audit, after: withSummary(audit.after, redacted) }),
  )
  // Before the records: what guards them looks here.
  for (const redaction of redacted) await insertRedaction(transaction, number, redaction)
  for (const record of records) await writeRecord(transaction, record)
  for (const entry of entries) await writeAuthor(transaction, entry)
}

/** An account that is not closed keeps an owner. */
async function leaveAccounts(transaction: Statements, person: string): Promise<void> {
  await transaction.run(
    `SELECT id FROM accounts WHERE id IN (SELECT account FROM members WHERE user_id = $1)
     ORDER BY id FOR NO KEY UPDATE`,
    [person],
  )
  const last = await transaction.row<{ account: string }>(
    `SELECT account FROM members JOIN accounts ON accounts.id = account
     WHERE user_id = $1 AND role = 'owner' AND state <> 'closed' AND NOT EXISTS (
       SELECT FROM members AS other
       WHERE other.account = members.account AND other.role = 'owner' AND other.user_id <> $1)
     LIMIT 1`,
    [person],
  )
  if (last) throw refusals.lastOwnerOf(last.account)
  await transaction.run("DELETE FROM members WHERE user_id = $1", [person])
}

async function removeAddresses(
  transaction: Statements,
  { person, addresses }: PersonTraces,
): Promise<void> {
  const own = texts(addresses)
  const id = person ?? ERASED
  await transaction.run("DELETE FROM invitations WHERE lower(email) = ANY($1)", [own])
  await transaction.run(
    "UPDATE invitations SET invited_by = $2 WHERE lower(invited_by) = ANY($1)",
    [own, id],
  )
  await transaction.run("UPDATE codes SET author = $2 WHERE lower(author) = ANY($1)", [own, id])
  const targets = "SELECT id FROM notice_targets WHERE channel = 'mail' AND lower(hint) = ANY($1)"
  await transaction.run(
    `DELETE FROM notice_deliveries WHERE state = 'waiting' AND target IN (${targets})`,
    [own],
  )
  await transaction.run(`DELETE FROM notice_targets WHERE id IN (${targets})`, [own])
  for (const address of addresses) {
    await transaction.run(
      "UPDATE notices SET data = replace(data, $1, $2) WHERE strpos(data, $1) > 0",
      [JSON.stringify(address), JSON.stringify(id)],
    )
  }
}

async function entriesBy(statements: Statements, traces: PersonTraces): Promise<EntryRecord[]> {
  const rows = await statements.rows<EntryRow>(
    `SELECT ${ENTRY_COLUMNS} FROM entries WHERE kind <> 'charge' AND lower(author) = ANY($1)`,
    [texts(traces.addresses)],
  )
  return rows.map((row) => redactEntry(entryFromRow(row), traces))
}

async function destroyKeys(
  transaction: Statements,
  { person, addressHashes, at }: PersonToErase,
): Promise<void> {
  await transaction.run("DELETE FROM people WHERE address_hash = ANY($1)", [texts(addressHashes)])
  if (person === null) return
  await transaction.run(
    `INSERT INTO people (person, erased_at) VALUES ($1, $2)
     ON CONFLICT (person) DO UPDATE SET key = NULL, erased_at = excluded.erased_at`,
    [person, BigInt(at)],
  )
}

async function insertRedaction(
  transaction: Statements,
  record: number,
  { account, number, hash }: Redaction,
): Promise<void> {
  await transaction.run(
    "INSERT INTO redactions (record, account, number, hash) VALUES ($1, $2, $3, $4)",
    [BigInt(record), account, BigInt(number), hash],
  )
}

async function writeRecord(transaction: Statements, record: AuditRecord): Promise<void> {
  const { number, actorName, address, before, after } = record
  await transaction.run(
    "UPDATE audit SET actor_name = $2, address = $3, before_body = $4, after_body = $5 WHERE number = $1",
    [BigInt(number), actorName, address, before, after],
  )
}

async function writeAuthor(
  transaction: Statements,
  { account, number, author }: EntryRecord,
): Promise<void> {
  await transaction.run("UPDATE entries SET author = $3 WHERE account = $1 AND number = $2", [
    account,
    BigInt(number),
    author,
  ])
}
