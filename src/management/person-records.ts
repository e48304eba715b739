import type { AuditRecord } from "../accounting/chained-records.ts"
import { ownTurn } from "../canon/next-turn.ts"
import type { AuditFilter } from "../store/audit.ts"
import type { Store } from "../store/store.ts"
import type { UserRecord } from "../store/users.ts"
import { type Audit, decryptRecords, readRecords, type ReadableRecord } from "./audit.ts"
import { personIdOf } from "./personal-names.ts"
import { foldedEmail } from "../accounting/email-address.ts"

/** Number of audit records that are searched in one turn of the event loop. Each may have about 100 KB. */
const WINDOW_SIZE = 20
/** Length of the records that are decrypted and written in one turn of the event loop. */
const BATCH_LENGTH = 512 * 1024
const EMAIL = /^[^\s@]+@[^\s@]+$/

export interface PersonRecordsParts {
  readonly store: Pick<Store, "audit">
  readonly audit: Audit
}

/** Returns the current and former email addresses of a person, in lowercase. */
export async function addressesOf(
  { store, audit }: PersonRecordsParts,
  { id, email }: Pick<UserRecord, "id" | "email">,
): Promise<string[]> {
  const known = new Set([foldedEmail(email)])
  for await (const window of windowsOf(store)) {
    const found = [
      ...(await ownRecords(store, id, window)),
      ...(await recordsIn(store, window, { target: id })),
    ]
    for (const batch of batchesOf(found)) {
      for (const { actorId, actorName, target, before, after } of await decryptRecords(
        audit.names,
        batch,
      )) {
        const texts = [
          ...(actorId === id ? [actorName] : []),
          ...(target === id ? [emailIn(before), emailIn(after)] : []),
        ]
        for (const text of texts) {
          if (typeof text === "string" && EMAIL.test(text)) known.add(foldedEmail(text))
        }
      }
      await ownTurn()
    }
  }
  return [...known]
}

/**
 * Yields all records of the person's actions and all records that mention the person, newest first, in batches that
 * may be empty. Only the person's own name is visible.
 */
export async function* recordsAbout(
  parts: PersonRecordsParts,
  user: Pick<UserRecord, "id" | "email">,
): AsyncGenerator<readonly ReadableRecord[]> {
  const { store, audit } = parts
  const { id } = user
  const addresses = await addressesOf(parts, user)
  const found = await Promise.all(addresses.map((email) => audit.names.findAddress(email)))
  const people = [id, ...found.filter((person) => person !== null)]
  const readable = (records: readonly AuditRecord[]): Promise<ReadableRecord[]> =>
    readRecords(records, async (texts) => {
      const opened = await audit.names.decrypt(texts)
      return texts.map((text, index) => {
        const person = personIdOf(text)
        if (person !== undefined) return people.includes(person) ? (opened[index] ?? null) : null
        return EMAIL.test(text) && !addresses.includes(foldedEmail(text)) ? null : text
      })
    })
  for await (const window of windowsOf(store)) {
    const records = [
      ...(await ownRecords(store, id, window)),
      ...(await recordsIn(store, window, { target: id })),
      ...(await recordsIn(store, window, { mentions: [...people, ...addresses] })),
    ]
    // Includes failed sign-ins, and sign-ins before the user existed.
    for (const actor of addresses) {
      const typed = await recordsIn(store, window, { actor, people })
      records.push(...typed.filter((record) => isActor(record, people, addresses)))
    }
    const distinct = [...new Map(records.map((record) => [record.number, record])).values()]
    for (const batch of batchesOf(distinct.toSorted((one, other) => other.number - one.number))) {
      yield await readable(batch)
      await ownTurn()
    }
  }
}

/** A range of numbers of audit records. Both ends are exclusive. */
interface Window {
  readonly above: number
  readonly before: number
}

/** Yields ranges of all records, newest first. Each is searched in its own turn of the event loop. */
async function* windowsOf(store: Pick<Store, "audit">): AsyncGenerator<Window> {
  const [newest] = await store.audit.list({}, null, 1)
  for (let before = (newest?.number ?? 0) + 1; before > 1; before -= WINDOW_SIZE) {
    await ownTurn()
    yield { above: before - WINDOW_SIZE - 1, before }
  }
}

/** Splits records into batches of limited length. Without records, it yields one empty batch. */
function* batchesOf(records: readonly AuditRecord[]): Generator<readonly AuditRecord[]> {
  let batch: AuditRecord[] = []
  let length = 0
  for (const record of records) {
    batch.push(record)
    length += (record.before?.length ?? 0) + (record.after?.length ?? 0)
    if (length < BATCH_LENGTH) continue
    yield batch
    batch = []
    length = 0
  }
  if (batch.length > 0 || records.length === 0) yield batch
}

function isActor(
  { actorName }: AuditRecord,
  people: readonly string[],
  addresses: readonly string[],
): boolean {
  const person = personIdOf(actorName)
  return person === undefined ? addresses.includes(foldedEmail(actorName)) : people.includes(person)
}

/**
 * Returns the records of a person's actions. They are filtered again, because the filter of the store also matches
 * names.
 */
async function ownRecords(
  store: Pick<Store, "audit">,
  id: string,
  window: Window,
): Promise<AuditRecord[]> {
  const records = await recordsIn(store, window, { actor: id })
  return records.filter(({ actorId }) => actorId === id)
}

function recordsIn(
  store: Pick<Store, "audit">,
  { above, before }: Window,
  filter: AuditFilter,
): Promise<AuditRecord[]> {
  return store.audit.list({ ...filter, above }, before, WINDOW_SIZE)
}

function emailIn(body: unknown): string | undefined {
  const { email } = (typeof body === "object" && body !== null ? body : {}) as { email?: unknown }
  return typeof email === "string" ? email : undefined
}
