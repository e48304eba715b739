import { journalState } from "../store/installation-journal.ts"
import type { Check } from "../management/check.ts"

/** Longest expected wait. A reachable database takes pending charges within seconds. */
const LONG_WAIT_MS = 60_000

/** Checks whether charges are pending in the journal of a data folder; undefined if there is no journal. */
export function checkJournal(folder: string, now = Date.now()): Check | undefined {
  const name = "journal"
  try {
    const state = journalState(folder)
    if (state === null) return undefined
    const { waiting, oldest, rejected } = state
    const since = oldest === null ? "" : `, the oldest since ${new Date(oldest).toISOString()}`
    const found = `${waiting} charges are pending for the database${since}; it has rejected ${rejected}`
    if (rejected > 0) {
      const fix =
        "look for ledger_failed in the log: these charges are in journal.db, with the reason"
      return { name, result: "warning", found, fix }
    }
    const isLate = oldest !== null && now - oldest > LONG_WAIT_MS
    if (!isLate) return { name, result: "ok", found }
    return {
      name,
      result: "warning",
      found,
      fix: "start a gateway on this data folder, which posts them",
    }
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    const fix =
      "move journal.db aside, and keep it, because it may contain charges that are not posted yet"
    return { name, result: "failed", found, fix }
  }
}
