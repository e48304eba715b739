import { Ledger } from "../ledger/ledger.ts"
import { AnchorKeeper } from "../ledger/anchor-keeper.ts"
import { randomText } from "../canon/random-text.ts"
import { Machine } from "../machine/machine.ts"
import {
  type DatabaseWatch,
  openServingDatabase,
  type ServingDatabase,
} from "../store/serving-database.ts"
import { databasePath } from "../store/book-place.ts"
import type { Store } from "../store/store.ts"
import type { Events } from "../telemetry/events.ts"
import { secretsOfBook } from "./book-secrets.ts"
import type { AppOptions } from "./options.ts"

/** The open book, and what watches over it. */
export interface OpenBook {
  readonly machine: Machine
  readonly database: ServingDatabase
  /** Its store, as everybody uses it: it moves no money while the book cannot be trusted. */
  readonly store: Store
  readonly bookWatch: DatabaseWatch
  readonly keeper: AnchorKeeper
  readonly ledger: Ledger
  readonly nodeId: string
  /** The secret of the data folder. */
  readonly secret: string
}

/**
 * Opens the book of a data folder.
 * @throws BookError when it is gone, damaged, or cannot be opened.
 */
export async function openBook(
  { settings, events, isShared }: AppOptions,
  building: AsyncDisposableStack,
): Promise<OpenBook> {
  const path = databasePath(settings.data)
  const machine = building.use(new Machine(settings.data))
  const hasCompany = isShared || machine.presence.count > 1
  const database = building.use(await openServingDatabase(path, hasCompany))
  // After the book: secrets without a book mean that it is gone.
  const { keyPepper: secret } = await secretsOfBook(database.store, settings.data)
  const bookWatch = database.watch((fault) => {
    ledger.refuse(fault)
    if (fault) events.bookLost(fault.message)
    else events.bookFound()
  })
  const store = bookWatch.over(database.store)
  const nodeId = `node_${randomText(16)}`
  const ledger = openLedger(store, nodeId, events)
  const anchors = { store, data: settings.data, secret, alarms: events }
  const keeper = building.use(await AnchorKeeper.open(anchors))
  return { machine, database, store, bookWatch, keeper, ledger, nodeId, secret }
}

function openLedger(store: Store, nodeId: string, events: Events): Ledger {
  return new Ledger(store, nodeId, {
    writtenOff: (request, { amount, reason }) => events.writtenOff(request, amount, reason),
    settledLate: events.settledLate,
    expired: (hold) => events.holdExpired(hold.request, hold.account),
    failed: events.bookFailed,
  })
}
