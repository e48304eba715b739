import builtIn from "../../catalog/facts.json" with { type: "json" }
import type { Facts } from "../../catalog/facts.ts"
import { checkFacts } from "../../catalog/prices/facts-schema.ts"
import type { ConsoleSection } from "../../config/console-entry.ts"
import type { SettingRecord } from "../../store/settings.ts"

/** What a price list is to the installation: in force, or waiting for the operator. */
export type ListRole = "kept" | "pending"

/** A price list in the database. */
export interface StoredList {
  readonly role: ListRole
  readonly facts: Facts
  /** Where it came from: an address, or a file's name. */
  readonly source: string
  /** When it was stored, Unix milliseconds. */
  readonly at: number
  readonly revision: number
}

/** The lists of an installation. */
export interface PriceLists {
  /** Those that the gateway charges by. */
  readonly facts: Facts
  /** Absent: the built-in list is in force. */
  readonly kept?: StoredList
  /** Newer than the list in force, or more of it. */
  readonly pending?: StoredList
  /** What is stored and cannot be used. */
  readonly faults: readonly string[]
}

/** The lists of an installation in which nothing is stored. */
export const BUILT_IN: PriceLists = { facts: builtIn, faults: [] }

/** The day of a list, `YYYY-MM-DD`; text that sorts. */
export function dayOf(facts: Facts): string {
  return facts.date ?? ""
}

/** Something that the console has set. */
export type ConsoleSettingRecord = SettingRecord & { readonly section: ConsoleSection }

/** What the console has set, among all that was set at run time. */
export function consoleRecords(records: readonly SettingRecord[]): ConsoleSettingRecord[] {
  return records.filter((record): record is ConsoleSettingRecord => record.section !== "prices")
}

/**
 * Reads what is stored. The newest of the built-in and the kept list is in force, so an upgrade of the program never
 * brings older prices back.
 * @param before the lists as they were read before: what has not changed is not parsed again.
 */
export function readLists(
  records: readonly SettingRecord[],
  before: PriceLists = BUILT_IN,
): PriceLists {
  const faults: string[] = []
  const stored = (role: ListRole): StoredList | undefined => {
    const record = records.find(({ section, id }) => section === "prices" && id === role)
    if (record === undefined) return undefined
    const known = before[role]
    if (known?.revision === record.revision) return known
    const read = readRecord(record, role)
    if (typeof read !== "string") return read
    faults.push(`the stored price list '${role}' is not used: ${read}`)
    return undefined
  }
  const kept = stored("kept")
  const isNewer = kept !== undefined && dayOf(kept.facts) >= dayOf(builtIn)
  const facts = isNewer ? kept.facts : builtIn
  const pending = stored("pending")
  // A list that was only partly taken has the day of the one that waits.
  const isDue = pending !== undefined && dayOf(pending.facts) >= dayOf(facts)
  return { facts, ...(isNewer && { kept }), ...(isDue && { pending }), faults }
}

/** A list as it is stored. */
export function bodyOf(facts: Facts, source: string): string {
  return JSON.stringify({ source, facts })
}

function readRecord({ body, changedAt, revision }: SettingRecord, role: ListRole) {
  const document = parsed(body)
  if (document === undefined) return "it is damaged"
  const facts = checkFacts(document.facts)
  if ("fault" in facts) return facts.fault
  return { role, facts, source: String(document.source), at: changedAt, revision }
}

function parsed(body: string): { readonly source?: unknown; readonly facts?: unknown } | undefined {
  try {
    const document: unknown = JSON.parse(body)
    return typeof document === "object" && document !== null ? document : undefined
  } catch {
    return undefined
  }
}
