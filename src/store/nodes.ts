/** A process that holds leases. */
export interface NodeRecord {
  readonly id: string
  readonly process: number
  readonly host: string
  readonly beatAt: number
  /** Where it holds the lock that proves it alive; null when it holds none. */
  readonly machine: string | null
}

/** What a node learns each time it looks. */
export interface NodeNews {
  /** False when the node was taken for dead: its leases are gone. */
  readonly known: boolean
  readonly nodes: number
  /** Grows with every change of keys or accounts. */
  readonly revision: number
  /** Grows with every change of what the console has set. */
  readonly settingsRevision: number
  /** Owners whose idle leases another node asks back. */
  readonly recalls: readonly string[]
}
