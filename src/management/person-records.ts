import type { AuditRecord } from "../accounting/chained-records.ts"
import type { AuditFilter } from "../store/audit.ts"
import type { Store } from "../store/store.ts"
import type { UserRecord } from "../store/users.ts"
import { type Audit, decryptRecords, readRecords, type ReadableRecord } from "./audit.ts"
import { personIdOf } from "./personal-names.ts"
import { foldedEmail } from "../accounting/email-address.ts"

/** Number of audit records per read. */
const PAGE_SIZE = 500
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
  const records = await decryptRecords(audit.names, [
    ...(await ownRecords(store, id)),
    ...(await recordsOf(store, { target: id })),
  ])
  const found = records.flatMap(({ actorId, actorName, target, before, after }) => [
    ...(actorId === id ? [actorName] : []),
    ...(target === id ? [emailIn(before), emailIn(after)] : []),
  ])
  const known = found.filter((text) => typeof text === "string" && EMAIL.test(text))
  return [...new Set([email, ...known].map((text) => foldedEmail(String(text))))]
}

/**
 * Returns all records of the person's actions and all records that mention the person, newest first. Only the person's
 * own name is visible.
 */
export async function recordsAbout(
  parts: PersonRecordsParts,
  user: Pick<UserRecord, "id" | "email">,
): Promise<ReadableRecord[]> {
  const { store, audit } = parts
  const { id } = user
  const addresses = await addressesOf(parts, user)
  const found = await Promise.all(addresses.map((email) => audit.names.findAddress(email)))
  const people = [id, ...found.filter((person) => person !== null)]
  const records = [
    ...(await ownRecords(store, id)),
    ...(await recordsOf(store, { target: id })),
    ...(await recordsOf(store, { mentions: [...people, ...addresses] })),
  ]
  // Includes failed sign-ins, and sign-ins before the user existed.
  for (const actor of addresses) {
    const typed = await recordsOf(store, { actor, people })
    records.push(...typed.filter((record) => isActor(record, people, addresses)))
  }
  const distinct = [...new Map(records.map((record) => [record.number, record])).values()]
  const sorted = distinct.toSorted((one, other) => other.number - one.number)
  return readRecords(sorted, async (texts) => {
    const opened = await audit.names.decrypt(texts)
    return texts.map((text, index) => {
      const person = personIdOf(text)
      if (person !== undefined) return people.includes(person) ? (opened[index] ?? null) : null
      return EMAIL.test(text) && !addresses.includes(foldedEmail(text)) ? null : text
    })
  })
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
async function ownRecords(store: Pick<Store, "audit">, id: string): Promise<AuditRecord[]> {
  return (await recordsOf(store, { actor: id })).filter(({ actorId }) => actorId === id)
}

async function recordsOf(store: Pick<Store, "audit">, filter: AuditFilter): Promise<AuditRecord[]> {
  const records: AuditRecord[] = []
  for (;;) {
    const page = await store.audit.list(filter, records.at(-1)?.number ?? null, PAGE_SIZE)
    records.push(...page)
    if (page.length < PAGE_SIZE) return records
  }
}

function emailIn(body: unknown): string | undefined {
  const { email } = (typeof body === "object" && body !== null ? body : {}) as { email?: unknown }
  return typeof email === "string" ? email : undefined
}
