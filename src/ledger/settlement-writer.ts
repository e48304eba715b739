import type { Batch, Posted } from "../store/settlements.ts"

/** Makes settlements durable: in the database, or first in the node's journal. */
export interface SettlementWriter {
  /** Why settlements cannot be written; undefined while they can. */
  readonly failure: unknown
  /**
   * Resolves when the batch is durable.
   * @param node under which the money is leased.
   * @throws when it is not, as far as is known.
   */
  write(node: string, batch: Batch): Promise<readonly Posted[]>
  /** Checks whether a failure is over. */
  look(node: string): Promise<void>
}
