import type { Database } from "bun:sqlite"
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
import type { PersonKey, PersonToErase } from "../people.ts"
import { refusals } from "../refusals.ts"
import { appendAudit, auditMentioning } from "../steps/audit.ts"
import type { RunStep } from "./run-steps.ts"
import type { DirectStore } from "./direct-store.ts"
import { ENTRY_COLUMNS, entryFromRow, type EntryRow } from "../steps/entry-rows.ts"
import type { Transactions } from "./transactions.ts"

interface RedactionRow {
  readonly record: bigint
  readonly account: string | null
  readonly number: bigint
  readonly hash: string
}

/** People as the ledger knows them: by ids, and by keys until they are erased. What writes expects a transaction. */
export class People {
  readonly #database: Database
  readonly #runStep: RunStep

  constructor(database: Database, runStep: RunStep) {
    this.#database = database
    this.#runStep = runStep
  }

  keys(people: readonly string[]): PersonKey[] {
    return this.#database
      .query<PersonKey, [string]>(
        "SELECT person, key FROM people WHERE person IN (SELECT value FROM json_each(?))",
      )
      .all(JSON.stringify(people))
  }

  findAddress(addressHash: string): string | null {
    return this.#ofAddress(addressHash)?.person ?? null
  }

  redactions(): RecordedRedaction[] {
    return this.#database
      .query<RedactionRow, []>("SELECT record, account, number, hash FROM redactions")
      .all()
      .map((row) => ({ ...row, record: Number(row.record), number: Number(row.number) }))
  }

  keyOf({ person, key }: PersonKey): PersonKey {
    this.#database.run("INSERT INTO people (person, key) VALUES (?, ?) ON CONFLICT DO NOTHING", [
      person,
      key,
    ])
    return this.keys([person])[0] ?? { person, key: null }
  }

  keyOfAddress(addressHash: string, { person, key }: PersonKey): PersonKey {
    this.#database.run(
      "INSERT INTO people (person, address_hash, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      [person, addressHash, key],
    )
    return this.#ofAddress(addressHash) ?? { person, key: null }
  }

  erase(erased: PersonToErase, audit: NewAuditRecord): void {
    if (erased.person !== null) this.#leaveAccounts(erased.person)
    this.#removeAddresses(erased)
    const records = this.#recordsNaming(erased)
    const entries = this.#entriesBy(erased)
    const redactions = [...records.map(redactionOfAudit), ...entries.map(redactionOfEntry)]
    const { number } = this.#runStep(
      appendAudit({ ...audit, after: withSummary(audit.after, redactions) }),
    )
    // Before the records: what guards them looks here.
    for (const { account, number: redacted, hash } of redactions) {
      this.#database.run(
        "INSERT INTO redactions (record, account, number, hash) VALUES (?, ?, ?, ?)",
        [BigInt(number), account, BigInt(redacted), hash],
      )
    }
    for (const { number: redacted, actorName, address, before, after } of records) {
      this.#database.run(
        "UPDATE audit SET actor_name = ?, address = ?, before_body = ?, after_body = ? WHERE number = ?",
        [actorName, address, before, after, BigInt(redacted)],
      )
    }
    for (const { account, number: redacted, author } of entries) {
      this.#database.run("UPDATE entries SET author = ? WHERE account = ? AND number = ?", [
        author,
        account,
        BigInt(redacted),
      ])
    }
    this.#destroyKeys(erased)
  }

  #ofAddress(addressHash: string): PersonKey | null {
    return this.#database
      .query<PersonKey, [string]>("SELECT person, key FROM people WHERE address_hash = ?")
      .get(addressHash)
  }

  /** An account that is not closed keeps an owner. */
  #leaveAccounts(person: string): void {
    const last = this.#database
      .query<{ account: string }, [string]>(
        `SELECT account FROM members JOIN accounts ON accounts.id = account
         WHERE user_id = ?1 AND role = 'owner' AND state <> 'closed' AND NOT EXISTS (
           SELECT 1 FROM members AS other
           WHERE other.account = members.account AND other.role = 'owner' AND other.user_id <> ?1)
         LIMIT 1`,
      )
      .get(person)
    if (last) throw refusals.lastOwnerOf(last.account)
    this.#database.run("DELETE FROM members WHERE user_id = ?", [person])
  }

  #removeAddresses({ person, addresses }: PersonTraces): void {
    const own = JSON.stringify(addresses)
    const id = person ?? ERASED
    this.#database.run(`DELETE FROM invitations WHERE ${areOwn("email")}`, [own])
    this.#database.run(`UPDATE invitations SET invited_by = ? WHERE ${areOwn("invited_by")}`, [
      id,
      own,
    ])
    this.#database.run(`UPDATE codes SET author = ? WHERE ${areOwn("author")}`, [id, own])
    const targets = `SELECT id FROM notice_targets WHERE channel = 'mail' AND ${areOwn("hint")}`
    this.#database.run(
      `DELETE FROM notice_deliveries WHERE state = 'waiting' AND target IN (${targets})`,
      [own],
    )
    this.#database.run(`DELETE FROM notice_targets WHERE id IN (${targets})`, [own])
    for (const address of addresses) {
      this.#database.run(
        "UPDATE notices SET data = replace(data, ?1, ?2) WHERE instr(data, ?1) > 0",
        [JSON.stringify(address), JSON.stringify(id)],
      )
    }
  }

  #recordsNaming(traces: PersonTraces): AuditRecord[] {
    const found = this.#runStep(
      auditMentioning([...traces.addresses, ...(traces.person === null ? [] : [traces.person])]),
    )
    return found.flatMap((record) => redactAudit(record, traces) ?? [])
  }

  #entriesBy(traces: PersonTraces): EntryRecord[] {
    return this.#database
      .query<EntryRow, [string]>(
        `SELECT ${ENTRY_COLUMNS} FROM entries INDEXED BY entries_by_kind WHERE number IS NOT NULL AND kind <> 'charge'
           AND lower(author) IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify(traces.addresses))
      .map((row) => redactEntry(entryFromRow(row), traces))
  }

  #destroyKeys({ person, addressHashes, at }: PersonToErase): void {
    this.#database.run(
      "DELETE FROM people WHERE address_hash IN (SELECT value FROM json_each(?))",
      [JSON.stringify(addressHashes)],
    )
    if (person === null) return
    this.#database.run(
      `INSERT INTO people (person, erased_at) VALUES (?, ?)
       ON CONFLICT (person) DO UPDATE SET key = NULL, erased_at = excluded.erased_at`,
      [person, BigInt(at)],
    )
  }
}

/** Whether a column has one of some addresses, which are bound as JSON. */
function areOwn(column: string): string {
  return `lower(${column}) IN (SELECT value FROM json_each(?))`
}

export function peopleMethods(
  transactions: Transactions,
  database: Database,
  people: People,
): DirectStore["people"] {
  return {
    keys: (ids) => people.keys(ids),
    findAddress: (hash) => people.findAddress(hash),
    redactions: () => people.redactions(),
    keyOf: (fresh) => transactions.atomically(() => people.keyOf(fresh)),
    keyOfAddress: (hash, fresh) => transactions.atomically(() => people.keyOfAddress(hash, fresh)),
    erase(erased, audit) {
      // What is removed is overwritten in the file as well.
      database.run("PRAGMA secure_delete = ON")
      try {
        transactions.atomically(() => people.erase(erased, audit))
      } finally {
        database.run("PRAGMA secure_delete = OFF")
      }
    },
  }
}
