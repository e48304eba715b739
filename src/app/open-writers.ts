import type { Settings } from "../config/settings.ts"
import { DatabaseWriter } from "../ledger/database-writer.ts"
import { JournalPoster } from "../ledger/journal-poster.ts"
import { JournalWriter } from "../ledger/journal-writer.ts"
import type { LedgerAlarms } from "../ledger/ledger-alarms.ts"
import type { Writers } from "../ledger/settlement-writer.ts"
import type { NodeLocks } from "../store/node-locks.ts"
import { openJournal } from "../store/installation-journal.ts"
import { databaseRetries } from "../store/retry-policy.ts"
import type { Store } from "../store/store.ts"

interface WritingParts {
  readonly settings: Settings
  readonly store: Store
  readonly locks: NodeLocks
  readonly nodeId: string
  readonly alarms: LedgerAlarms
}

/**
 * Opens the writers that make settlements durable, as configured; undefined if the database is a file.
 * @throws LedgerError if the journal cannot be opened.
 */
export async function openWriters(
  { settings, store, locks, nodeId, alarms }: WritingParts,
  building: AsyncDisposableStack,
): Promise<Writers | undefined> {
  if (!settings.database) return undefined
  const { settle, settleTimeout } = settings.database
  const database = new DatabaseWriter(store, databaseRetries(settleTimeout))
  if (settle === "database") return { usual: database }
  const journal = building.use(await openJournal(settings.data))
  const poster = new JournalPoster(store, journal.lines, alarms)
  const isAlive = (node: string): boolean => locks.stateOf(node, locks.machine) === "alive"
  const writer = new JournalWriter({ journal, poster, isAlive })
  await writer.recover(nodeId)
  return { usual: writer, claimed: database }
}
