import { methodNames, methodOf, methodsNamed, type GroupsOf } from "../methods.ts"
import type { LeaseGrant, LeaseRequest } from "../leases.ts"
import type { Store } from "../store.ts"
import type { PostgresClient } from "./client.ts"

const CHANNEL = "tollgate"
/** Pause before the next attempt to listen. */
const RETRY_PAUSE_MS = 30_000

/** Methods that affect other nodes. */
const CHANGES: ReadonlySet<string> = new Set([
  "accounts.update",
  "keys.insert",
  "keys.update",
  "keys.rotate",
  "keys.revoke",
  "settings.change",
  "leases.recall",
  "nodes.join",
  "deploymentReports.report",
])

/**
 * Announces changes to other nodes, so that they poll immediately: changed keys and settings, joined nodes, nodes that
 * are short of credits, and failing deployments. This is only an optimization, because an announcement may be lost, and
 * a pooler may not forward any.
 */
export class Announcements {
  readonly #client: PostgresClient
  /** Identifies this node in its announcements. */
  readonly #from = crypto.randomUUID()

  constructor(client: PostgresClient) {
    this.#client = client
  }

  /**
   * Wraps a store so that its changes are announced.
   * @param isAwaited whether changes wait for their announcement.
   */
  over(store: Store, isAwaited: boolean): Store {
    const methods = methodsNamed<GroupsOf<Store>>(methodNames(store), (group, name) => {
      const method = methodOf(store, group, name)
      const place = `${group}.${name}`
      const isLease = place === "leases.take"
      if (!CHANGES.has(place) && !isLease) return method
      return async (...parameters) => {
        const result = await method(...parameters)
        if (isLease && !isShort(parameters[0] as LeaseRequest, result as LeaseGrant)) return result
        const announced = this.#announce()
        if (isAwaited) await announced
        return result
      }
    })
    return { ...methods, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
  }

  /**
   * Receives announcements.
   * @param onNews called for each announcement of another node.
   */
  listen(onNews: () => void): Disposable {
    const { hosts } = this.#client
    const open = () => new Bun.SQL(hosts.primary, { max: 1 })
    let sql = open()
    let timer: Timer | undefined
    let isOver = false
    const begin = (): void => {
      const own = sql
      // After the first connection, the client reconnects by itself.
      own
        .listen(CHANNEL, (from) => {
          if (from !== this.#from) onNews()
        })
        .catch(() => {
          if (isOver || own !== sql) return
          timer = setTimeout(begin, RETRY_PAUSE_MS)
          timer.unref()
        })
    }
    const end = (): void => {
      clearTimeout(timer)
      sql.close({ timeout: 0 }).catch(() => undefined)
    }
    const moves = hosts.onMove(() => {
      end()
      sql = open()
      begin()
    })
    begin()
    return {
      [Symbol.dispose]() {
        isOver = true
        moves[Symbol.dispose]()
        end()
      },
    }
  }

  /** Ignores failures, because other nodes detect the change at their next poll. */
  async #announce(): Promise<void> {
    await this.#client.run("SELECT pg_notify($1, $2)", [CHANNEL, this.#from]).catch(() => undefined)
  }
}

/** Whether other nodes should return idle parts of their leases. */
function isShort({ wanted }: LeaseRequest, { granted, leasedElsewhere }: LeaseGrant): boolean {
  return granted < wanted && leasedElsewhere > 0n
}
