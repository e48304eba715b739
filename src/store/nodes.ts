import type { HoldRecord } from "./settlements.ts"

/** A process that holds leases. */
export interface NodeRecord {
  readonly id: string
  readonly process: number
  readonly host: string
  /** The last heartbeat, by the clock of the reading process. */
  readonly beatAt: number
  /** The machine of the lock that proves it alive; null if it holds no lock. */
  readonly machine: string | null
  /** Lifetime of its leases after a heartbeat, in milliseconds; absent or null: not reported. */
  readonly leaseTerm?: number | null
  /** Identifies the memory that it shares with other nodes of its machine; absent or null: not reported. */
  readonly memory?: string | null
}

/** Returns the next id of a node that joins again: `node_x`, `node_x.2`, `node_x.3`. */
export function nextEpoch(id: string): string {
  const [process = id, epoch = "1"] = id.split(".")
  return `${process}.${Number(epoch) + 1}`
}

/** Returns the common prefix of all ids of a node, which is its first id. */
export function processOf(id: string): string {
  const [process = id] = id.split(".")
  return process
}

/** Changes since a node's last poll. */
export interface NodeChanges {
  /** False if the node was considered dead: its leases are gone. */
  readonly known: boolean
  readonly nodes: number
  /** Number of shared memories. A node without a reported memory counts as one. */
  readonly machines: number
  /** Grows with every change of keys or accounts. */
  readonly revision: number
  /** Grows with every change made in the console's settings. */
  readonly settingsRevision: number
  /** Grows with every report on a deployment. */
  readonly deploymentRevision: number
  /** Owners of idle leases that another node asks for. */
  readonly recalls: readonly string[]
}

/** Lists the processes that share the store. */
export interface NodeReads {
  list(): Promise<NodeRecord[]>
}

export interface NodeWrites {
  join(node: NodeRecord): Promise<void>
  /** Returns the changes since the node's last poll. With `beatAt` it also records a heartbeat. */
  poll(id: string, beatAt: number | null): Promise<NodeChanges>
  /**
   * Returns all leases of a node that leaves or died. Its open holds expire and are returned.
   * @param silence removes the node only if its last heartbeat is at least this old, in milliseconds; absent: always.
   */
  remove(id: string, at: number, silence?: number): Promise<HoldRecord[]>
}
