import type { AuditRecord, EntryRecord } from "./chained-records.ts"
import { hashAudit, hashEntry, hashText } from "./hash-chain.ts"
import { foldedEmail } from "./email-address.ts"

/** The text that replaces an erased name. */
export const ERASED = "erased"

/** The plain-text values that identify a person in records. */
export interface PersonTraces {
  /** The user's id; null for a person who was never a user. */
  readonly person: string | null
  /** All email addresses of the person, in lowercase. */
  readonly addresses: readonly string[]
}

/** The removal of a person's name from one record. The record keeps its hash, because the next record contains it. */
export interface Redaction {
  /** The account of the entry; null for an audit record. */
  readonly account: string | null
  readonly number: number
  /** The hash of the redacted record. */
  readonly hash: string
}

/** A redaction with the number of the audit record that authorizes it. */
export interface RecordedRedaction extends Redaction {
  readonly record: number
}

/** The summary of an erasure's redactions, stored in the audit record that authorizes them. */
export interface RedactionSummary {
  readonly records: number
  readonly entries: number
  /** The hash over all redactions. It reveals redactions that were added, changed or removed later. */
  readonly hash: string
}

/**
 * Removes a person's name and network address from an audit record. Returns undefined if the record contains neither
 * the name nor the address in plain text.
 */
export function redactAudit(record: AuditRecord, traces: PersonTraces): AuditRecord | undefined {
  const isActor =
    (record.actorId !== null && record.actorId === traces.person) ||
    isAddressIn(traces, record.actorName)
  const redacted: AuditRecord = {
    ...record,
    before: redactText(record.before, record, traces),
    after: redactText(record.after, record, traces),
    ...(isActor && !isEncrypted(record.actorName) && { actorName: ERASED, address: null }),
  }
  return hashAudit(redacted) === hashAudit(record) ? undefined : redacted
}

export function redactionOfAudit(record: AuditRecord): Redaction {
  return { account: null, number: record.number, hash: hashAudit(record) }
}

/** Replaces the author of an entry with the person's id. */
export function redactEntry(entry: EntryRecord, { person }: PersonTraces): EntryRecord {
  return { ...entry, author: person ?? ERASED }
}

export function redactionOfEntry(entry: EntryRecord): Redaction {
  return { account: entry.account, number: entry.number, hash: hashEntry(entry) }
}

/** @param redactions in any order. */
export function summarizeRedactions(redactions: readonly Redaction[]): RedactionSummary {
  const lines = redactions
    .map(({ account, number, hash }) => JSON.stringify([account, number, hash]))
    .toSorted()
  const records = redactions.filter(({ account }) => account === null).length
  return {
    records,
    entries: redactions.length - records,
    hash: hashText(lines.join("\n")),
  }
}

/** Returns the body of an erasure's audit record, with a summary of the redactions. */
export function withSummary(after: string | null, redactions: readonly Redaction[]): string {
  const body: unknown = JSON.parse(after ?? "{}")
  return JSON.stringify({ ...(isObject(body) && body), redacted: summarizeRedactions(redactions) })
}

/** Whether a text is encrypted under the key of a person: `encrypted:<person>:<text>`. */
export function isEncrypted(text: string): boolean {
  return text.startsWith("encrypted:")
}

function isAddressIn({ addresses }: PersonTraces, text: string): boolean {
  return addresses.includes(foldedEmail(text))
}

function redactText(
  text: string | null,
  { target }: AuditRecord,
  traces: PersonTraces,
): string | null {
  if (text === null) return null
  const body: unknown = JSON.parse(text)
  const isTheirs = target !== null && target === traces.person
  return JSON.stringify(redactValue(body, traces, isTheirs))
}

function redactValue(value: unknown, traces: PersonTraces, isTheirs: boolean): unknown {
  if (typeof value === "string") return isAddressIn(traces, value) ? ERASED : value
  if (Array.isArray(value)) return value.map((item) => redactValue(item, traces, false))
  if (!isObject(value)) return value
  const names = isTheirs || isAbout(value, traces)
  const members = Object.entries(value).map(([name, member]) => {
    const isName = names && name === "name" && typeof member === "string" && !isEncrypted(member)
    return [name, isName ? ERASED : redactValue(member, traces, false)] as const
  })
  return Object.fromEntries(members)
}

/** Whether an object is the person's user, membership or invitation. */
function isAbout(value: Readonly<Record<string, unknown>>, traces: PersonTraces): boolean {
  const { id, user, email } = value
  if (traces.person !== null && (id === traces.person || user === traces.person)) return true
  return typeof email === "string" && isAddressIn(traces, email)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
