import type { Keyring } from "../keys/keyring.ts"
import type { AnchorKeeper } from "../ledger/anchor-keeper.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { Node, type NodeListeners } from "../ledger/node.ts"
import type { Rates } from "../limits/rates.ts"
import type { Machine } from "../machine/machine.ts"
import type { LiveSettings } from "../management/live-settings.ts"
import type { HealthExchange } from "../routing/health-exchange.ts"
import type { NodeLocks } from "../store/node-locks.ts"
import type { DatabaseWatch, ServingDatabase } from "../store/serving-database.ts"
import type { Store } from "../store/store.ts"
import type { Events } from "../telemetry/events.ts"

/** The parts that are notified of changes in other processes. */
export interface NodeParts {
  readonly live: LiveSettings
  readonly store: Store
  readonly database: ServingDatabase
  readonly nodeId: string
  readonly locks: NodeLocks
  readonly databaseWatch: DatabaseWatch
  readonly keeper: AnchorKeeper
  readonly ledger: Ledger
  readonly keyring: Keyring
  readonly limiter: Rates
  readonly healthExchange: HealthExchange
  readonly machine: Machine
  readonly events: Events
}

/** Joins the processes that share the ledger, and keeps everything that depends on them up to date. */
export async function joinNode(parts: NodeParts, building: AsyncDisposableStack): Promise<void> {
  const {
    database,
    databaseWatch,
    keeper,
    locks,
    ledger,
    keyring,
    limiter,
    healthExchange,
    machine,
    events,
    live,
  } = parts
  const listeners: NodeListeners = {
    async onChanges(changes) {
      machine.presence.beat()
      databaseWatch.check()
      keeper.keep()
      limiter.setMachines(changes.machines)
      if (changes.nodes > 1) await database.becomeShared()
      await Promise.all([
        ledger.tick(changes.recalls),
        keyring.refresh(changes.revision),
        live.refresh(changes.settingsRevision),
        healthExchange.update(changes),
      ])
    },
    mustRejoin: () => ledger.mustRejoin,
    onLeaving: () => ledger.suspend(),
    onRejoined(id) {
      ledger.rejoin(id)
      events.nodeRejoined()
    },
    onRenewed: (until) => ledger.spendUntil(until),
    onExpired(holds) {
      for (const hold of holds) events.holdExpired(hold.request, hold.account)
    },
    onFailure(error) {
      databaseWatch.check()
      // The loss of the ledger has already been reported.
      if (error !== databaseWatch.fault) events.nodeFailed(error)
    },
  }
  const { pollIntervalMs, leaseTerm } = database
  const options = { locks, pollIntervalMs, leaseTerm, memory: machine.memory.name() }
  const node = building.use(await Node.join(parts.store, parts.nodeId, listeners, options))
  building.use(database.listen(() => node.pollSoon()))
  // From the first request on, rate limits depend on the number of machines.
  const { machines } = await parts.store.nodes.poll(node.id, null)
  limiter.setMachines(machines)
}
