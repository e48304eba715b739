import type { Batch, Posted } from "../store/settlements.ts"
import type { UnstorableError } from "./divided-batch.ts"

/** A durable settlement. */
export interface Settled extends Omit<Posted, "balance"> {
  /** The account's balance after it; undefined if the database does not have it yet. */
  readonly balance: bigint | undefined
}

/** The result of a settlement. */
export type SettlementOutcome = Settled | UnstorableError

/** Makes settlements durable: in the database, or first in the node's journal. */
export interface SettlementWriter {
  /** True if it continues while the database is unavailable. */
  readonly outlastsOutages: boolean
  /** Number of settlements that are durable but not in the database yet. */
  readonly waiting: number
  /** The reason why settlements cannot be written; undefined if they can. */
  readonly failure: unknown
  /**
   * Resolves when the batch is durable, except for settlements that the database rejects.
   * @param node that has leased the money.
   * @throws if the batch may not be durable.
   */
  write(node: string, batch: Batch): Promise<readonly SettlementOutcome[]>
  /** Checks whether a failure has ended. Called periodically. */
  maintain(node: string): Promise<void>
  /** Sets the moment, by `performance.now()`, after which nothing waits for an unavailable database. */
  endBy(moment: number): void
  /** Posts everything written to the database, as far as it is available. */
  close(): Promise<void>
}
