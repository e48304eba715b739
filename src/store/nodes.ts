import type { HoldRecord } from "./settlements.ts"

/** A process that holds leases. */
export interface NodeRecord {
  readonly id: string
  readonly process: number
  readonly host: string
  /** By the clock of the process that reads it. */
  readonly beatAt: number
  /** Where it holds the lock that proves it alive; null when it holds none. */
  readonly machine: string | null
  /** How long its leases last after a beat, milliseconds; absent or null: it did not say. */
  readonly leaseTerm?: number | null
  /** Names the memory that it shares with other nodes of its machine; absent or null: it did not say. */
  readonly memory?: string | null
}

/** A node that joins again goes by another id: `node_x`, `node_x.2`, `node_x.3`. */
export function nextEpoch(id: string): string {
  const [process = id, epoch = "1"] = id.split(".")
  return `${process}.${Number(epoch) + 1}`
}

/** What all ids of a node begin with, which is the first of them. */
export function processOf(id: string): string {
  const [process = id] = id.split(".")
  return process
}

/** What a node learns each time it looks. */
export interface NodeChanges {
  /** False when the node was taken for dead: its leases are gone. */
  readonly known: boolean
  readonly nodes: number
  /** How many memories they have in common; a node that did not say has one of its own. */
  readonly machines: number
  /** Grows with every change of keys or accounts. */
  readonly revision: number
  /** Grows with every change of what the console has set. */
  readonly settingsRevision: number
  /** Grows with every report on a deployment. */
  readonly deploymentRevision: number
  /** Owners whose idle leases another node asks back. */
  readonly recalls: readonly string[]
}

/** The processes that share the store. */
export interface NodeReads {
  list(): Promise<NodeRecord[]>
}

export interface NodeWrites {
  join(node: NodeRecord): Promise<void>
  /** What has changed since the node last asked; with `beatAt` it also says that the node is alive. */
  poll(id: string, beatAt: number | null): Promise<NodeChanges>
  /**
   * Gives back all leases of a node that leaves or died; its open holds expire and are returned.
   * @param silence removes it only if it has not beaten for so long, milliseconds; absent: whenever it did.
   */
  remove(id: string, at: number, silence?: number): Promise<HoldRecord[]>
}
