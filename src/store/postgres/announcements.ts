import { methodNames, methodOf, methodsNamed, type GroupsOf } from "../methods.ts"
import type { LeaseGrant, LeaseRequest } from "../leases.ts"
import type { Store } from "../store.ts"
import type { PostgresClient } from "./client.ts"

const CHANNEL = "tollgate"
/** How long it pauses before it tries to listen again, milliseconds. */
const PAUSE = 30_000

/** The methods after which other nodes have something to look at. */
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
 * By which nodes learn at once what they would see with their next look: changes of keys and settings, that another node
 * is there or short of credits, and which deployments fail. Nothing depends on it: an announcement may be lost, and a pooler may pass none on.
 */
export class Announcements {
  readonly #client: PostgresClient
  /** By which a node knows its own. */
  readonly #from = crypto.randomUUID()

  constructor(client: PostgresClient) {
    this.#client = client
  }

  /** The same store, whose changes are announced. @param isAwaited whether a change waits until it is. */
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

  /** @param onNews is called when another node has announced something. */
  listen(onNews: () => void): Disposable {
    const { hosts } = this.#client
    const open = () => new Bun.SQL(hosts.primary, { max: 1 })
    let sql = open()
    let timer: Timer | undefined
    let isOver = false
    const begin = (): void => {
      const own = sql
      // It connects again by itself, where it could once.
      own
        .listen(CHANNEL, (from) => {
          if (from !== this.#from) onNews()
        })
        .catch(() => {
          if (isOver || own !== sql) return
          timer = setTimeout(begin, PAUSE)
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

  /** What cannot be announced is seen with the next look. */
  async #announce(): Promise<void> {
    await this.#client.run("SELECT pg_notify($1, $2)", [CHANNEL, this.#from]).catch(() => undefined)
  }
}

/** Whether other nodes are asked to give something back. */
function isShort({ wanted }: LeaseRequest, { granted, leasedElsewhere }: LeaseGrant): boolean {
  return granted < wanted && leasedElsewhere > 0n
}
