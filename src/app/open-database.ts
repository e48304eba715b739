import { join } from "node:path"
import type { LedgerAlarms } from "../ledger/ledger-alarms.ts"
import { Ledger } from "../ledger/ledger.ts"
import { AnchorKeeper } from "../ledger/anchor-keeper.ts"
import { randomText } from "../canon/random-text.ts"
import { bootName } from "../machine/boot-name.ts"
import { Machine } from "../machine/machine.ts"
import { databaseOf } from "../store/installation-database.ts"
import type { DatabaseStatus } from "../store/database-status.ts"
import { NodeLocks } from "../store/node-locks.ts"
import type { DatabaseWatch, ServingDatabase } from "../store/serving-database.ts"
import type { InstallationSecrets } from "../secrets/installation-secrets.ts"
import type { Store } from "../store/store.ts"
import type { Events } from "../telemetry/events.ts"
import { openSecrets } from "./open-secrets.ts"
import { openWriters } from "./open-writers.ts"
import type { AppOptions } from "./options.ts"

/** The open ledger and the parts that monitor it. */
export interface OpenDatabase {
  readonly machine: Machine
  readonly database: ServingDatabase
  /** The store that all services use. It moves no money while the ledger cannot be trusted. */
  readonly store: Store
  readonly databaseWatch: DatabaseWatch
  readonly databaseStatus: () => Promise<DatabaseStatus>
  readonly keeper: AnchorKeeper
  readonly ledger: Ledger
  readonly nodeId: string
  readonly locks: NodeLocks
  readonly secrets: InstallationSecrets
  /** Secret for hashing callers' keys and for signing. */
  readonly secret: string
}

/**
 * Opens the ledger of a data folder.
 * @throws LedgerError if it is missing or damaged, or cannot be opened.
 */
export async function openDatabase(
  { settings, events, isShared }: AppOptions,
  building: AsyncDisposableStack,
): Promise<OpenDatabase> {
  const machine = building.use(new Machine(settings.data))
  const hasOtherProcesses = isShared || machine.presence.count > 1
  const installed = databaseOf(settings)
  const database = building.use(await installed.openToServe(hasOtherProcesses))
  // Secrets are opened after the ledger. If they exist without a ledger, the ledger was lost.
  const { secrets, keyPepper: secret } = await openSecrets(installed, database.store)
  const databaseWatch = database.watch((fault) => {
    ledger.reject(fault)
    if (fault) events.ledgerUnavailable(fault.message)
    else events.ledgerAvailable()
  })
  const store = databaseWatch.over(database.store)
  const nodeId = `node_${randomText(16)}`
  const locks = new NodeLocks(join(settings.data, "run"), bootName())
  const writing = { settings, store, locks, nodeId, alarms: alarmsOf(events) }
  const writers = await openWriters(writing, building)
  const ledger = new Ledger(store, nodeId, alarmsOf(events), writers)
  const anchors = { store, data: settings.data, secret, alarms: events }
  const keeper = building.use(await AnchorKeeper.open(anchors))
  const opened = { machine, database, store, databaseWatch, keeper, ledger, nodeId, locks }
  return { ...opened, databaseStatus: () => installed.status(), secrets, secret }
}

function alarmsOf(events: Events): LedgerAlarms {
  return {
    writtenOff: (request, { amount, reason }) => events.writtenOff(request, amount, reason),
    settledLate: events.settledLate,
    expired: (hold) => events.holdExpired(hold.request, hold.account),
    failed: events.ledgerFailed,
  }
}
