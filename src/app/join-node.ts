import type { Keyring } from "../keys/keyring.ts"
import type { AnchorKeeper } from "../ledger/anchor-keeper.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { Node, type NodeListeners } from "../ledger/node.ts"
import type { RateLimiter } from "../limits/rate-limiter.ts"
import type { Machine } from "../machine/machine.ts"
import type { LiveSettings } from "../management/live-settings.ts"
import type { NodeLocks } from "../store/node-locks.ts"
import type { DatabaseWatch, ServingDatabase } from "../store/serving-database.ts"
import type { Store } from "../store/store.ts"
import type { Events } from "../telemetry/events.ts"

/** What hears of the other processes. */
export interface NodeParts {
  readonly live: LiveSettings
  readonly store: Store
  readonly database: ServingDatabase
  readonly nodeId: string
  readonly locks: NodeLocks
  readonly bookWatch: DatabaseWatch
  readonly keeper: AnchorKeeper
  readonly ledger: Ledger
  readonly keyring: Keyring
  readonly limiter: RateLimiter
  readonly machine: Machine
  readonly events: Events
}

/** Joins the processes that share the book, and keeps all that depends on them up to date. */
export function joinNode(parts: NodeParts): Promise<Node> {
  const { database, bookWatch, keeper, locks, ledger, keyring, limiter, machine, events, live } =
    parts
  const listeners: NodeListeners = {
    async onNews(news) {
      machine.presence.beat()
      bookWatch.look()
      keeper.keep()
      limiter.setProcesses(news.nodes)
      if (news.nodes > 1) await database.hasCompany()
      await Promise.all([
        ledger.tick(news.recalls),
        keyring.refresh(news.revision),
        live.refresh(news.settingsRevision),
      ])
    },
    onForgotten() {
      events.nodeForgotten()
      ledger.forgetLeases()
    },
    onExpired(holds) {
      for (const hold of holds) events.holdExpired(hold.request, hold.account)
    },
    onFailure(error) {
      bookWatch.look()
      // That the book is lost has been told.
      if (error !== bookWatch.fault) events.nodeFailed(error)
    },
  }
  return Node.join(parts.store, parts.nodeId, listeners, { locks })
}
