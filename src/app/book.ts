import { Ledger } from "../ledger/ledger.ts"
import { AnchorKeeper } from "../ledger/anchor-keeper.ts"
import { randomText } from "../keys/secret.ts"
import { Machine } from "../machine/machine.ts"
import { BookWatch } from "../store/sqlite/book-watch.ts"
import { openServingStore, type ServingStore } from "../store/open-store.ts"
import { databasePath } from "../store/book-place.ts"
import type { Store } from "../store/store.ts"
import type { Events } from "../telemetry/events.ts"
import { secretsOfBook } from "./book-secrets.ts"
import type { AppOptions } from "./options.ts"

/** The open book, and what watches over it. */
export interface OpenBook {
  readonly path: string
  readonly machine: Machine
  /** The store itself, which is told of company. */
  readonly serving: ServingStore
  /** The same, as everybody uses it: it moves no money while the book cannot be trusted. */
  readonly store: Store
  readonly bookWatch: BookWatch
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
  const serving = building.use(await openServingStore(path, hasCompany))
  // After the book: secrets without a book mean that it is gone.
  const { keyPepper: secret } = await secretsOfBook(serving, settings.data)
  const bookWatch = new BookWatch(path, (fault) => {
    ledger.refuse(fault)
    if (fault) events.bookLost(fault.message)
    else events.bookFound()
  })
  const store = bookWatch.over(serving)
  const nodeId = `node_${randomText(16)}`
  const ledger = openLedger(store, nodeId, events)
  const anchors = { store, bookPath: path, secret, alarms: events }
  const keeper = building.use(await AnchorKeeper.open(anchors))
  return { path, machine, serving, store, bookWatch, keeper, ledger, nodeId, secret }
}

function openLedger(store: Store, nodeId: string, events: Events): Ledger {
  return new Ledger(store, nodeId, {
    writtenOff: (request, { amount, reason }) => events.writtenOff(request, amount, reason),
    settledLate: events.settledLate,
    expired: (hold) => events.holdExpired(hold.request, hold.account),
    failed: events.bookFailed,
  })
}
