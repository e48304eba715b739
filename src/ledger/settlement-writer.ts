import type { Batch, Posted } from "../store/settlements.ts"
import type { UnstorableError } from "./divided-batch.ts"

/** A settlement that is durable. */
export interface Settled extends Omit<Posted, "balance"> {
  /** The account's balance after it; undefined where the database does not have it yet. */
  readonly balance: bigint | undefined
}

/** What became of a settlement. */
export type SettlementOutcome = Settled | UnstorableError

/** Makes settlements durable: in the database, or first in the node's journal. */
export interface SettlementWriter {
  /** Whether it goes on while the database is away. */
  readonly outlastsOutages: boolean
  /** Settlements that are durable, and not in the database yet. */
  readonly waiting: number
  /** Why settlements cannot be written; undefined while they can. */
  readonly failure: unknown
  /**
   * Resolves when the batch is durable, except for what the database rejects.
   * @param node under which the money is leased.
   * @throws when it is not, as far as is known.
   */
  write(node: string, batch: Batch): Promise<readonly SettlementOutcome[]>
  /** Checks whether a failure is over. To be called again and again. */
  look(node: string): Promise<void>
  /** From a moment on, by `performance.now()`, nothing waits for a database that is away. */
  endBy(moment: number): void
  /** Brings what is written to the database, as far as it can be reached. */
  close(): Promise<void>
}
