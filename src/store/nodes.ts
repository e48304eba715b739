import type { HoldRecord } from "./settlements.ts"

/** A process that holds leases. */
export interface NodeRecord {
  readonly id: string
  readonly process: number
  readonly host: string
  /** The last heartbeat, by the clock of the reading process. */
  readonly beatAt: number
  /** The machine on which the node holds a lock as proof of being alive; null without a lock. */
  readonly machine: string | null
  /** Lifetime of the node's leases after a heartbeat, in milliseconds; absent or null if not reported. */
  readonly leaseTerm?: number | null
  /** Identifies the memory that the node shares with other nodes of its machine; absent or null if not reported. */
  readonly memory?: string | null
}

/** Returns the next id of a node that joins again, for example `node_x.2` after `node_x`. */
export function nextEpoch(id: string): string {
  const [process = id, epoch = "1"] = id.split(".")
  return `${process}.${Number(epoch) + 1}`
}

/** Returns the common part of all ids of a node, which is its first id. */
export function processOf(id: string): string {
  const [process = id] = id.split(".")
  return process
}

/** Changes since a node's last poll. */
export interface NodeChanges {
  /** Whether the node is still known. If not, it was considered dead, and its leases were returned. */
  readonly known: boolean
  readonly nodes: number
  /** Number of shared memories. A node without a reported memory counts as one. */
  readonly machines: number
  /** Increases with every change to keys or accounts. */
  readonly revision: number
  /** Increases with every change to settings in the console. */
  readonly settingsRevision: number
  /** Increases with every report about a deployment. */
  readonly deploymentRevision: number
  /** Owners whose idle leases another node has requested. */
  readonly recalls: readonly string[]
}

/** Lists the processes that share the store. */
export interface NodeReads {
  list(): Promise<NodeRecord[]>
}

export interface NodeWrites {
  join(node: NodeRecord): Promise<void>
  /** Returns the changes since the node's last poll. If `beatAt` is set, a heartbeat is recorded. */
  poll(id: string, beatAt: number | null): Promise<NodeChanges>
  /**
   * Returns all leases of a node that leaves or has died. Its open holds expire, and the method returns them.
   * @param silence minimum age of the last heartbeat in milliseconds. If the heartbeat is newer, the node is not
   * removed. If absent, the node is always removed.
   */
  remove(id: string, at: number, silence?: number): Promise<HoldRecord[]>
}
