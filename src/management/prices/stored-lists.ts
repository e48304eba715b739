import builtIn from "../../catalog/facts.json" with { type: "json" }
import type { Facts } from "../../catalog/facts.ts"
import { checkFacts } from "../../catalog/prices/facts-schema.ts"
import type { ConsoleSection } from "../../config/console-entry.ts"
import type { SettingRecord } from "../../store/settings.ts"

/** The role of a stored price list: active or pending. */
export type ListRole = "kept" | "pending"

/** A price list in the database. */
export interface StoredList {
  readonly role: ListRole
  readonly facts: Facts
  /** The origin of the list, which is an address or a file name. */
  readonly source: string
  /** The time when the list was stored, in Unix milliseconds. */
  readonly at: number
  readonly revision: number
}

/** The price lists of an installation. */
export interface PriceLists {
  /** The active list, which is used for charging. */
  readonly facts: Facts
  /** The stored active list; absent if the built-in list is active. */
  readonly kept?: StoredList
  /** A list that is newer than the active list, or that was only partly applied. */
  readonly pending?: StoredList
  /** Reasons why stored lists cannot be used. */
  readonly faults: readonly string[]
}

/** The lists of an installation without a stored list. */
export const BUILT_IN: PriceLists = { facts: builtIn, faults: [] }

/** Returns the date of a list as sortable text, `YYYY-MM-DD`. */
export function dayOf(facts: Facts): string {
  return facts.date ?? ""
}

/** A setting of the console. */
export type ConsoleSettingRecord = SettingRecord & { readonly section: ConsoleSection }

/** Returns those stored settings that belong to the console. */
export function consoleRecords(records: readonly SettingRecord[]): ConsoleSettingRecord[] {
  return records.filter((record): record is ConsoleSettingRecord => record.section !== "prices")
}

/**
 * Reads the stored lists. The newer of the built-in and the stored list is active, so that an upgrade never restores
 * older prices.
 * @param before the lists from the previous read. Unchanged lists are not parsed again.
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
  // An active list that was partly applied has the same date as the pending list.
  const isDue = pending !== undefined && dayOf(pending.facts) >= dayOf(facts)
  return { facts, ...(isNewer && { kept }), ...(isDue && { pending }), faults }
}

/** Serializes a list for storage. */
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
