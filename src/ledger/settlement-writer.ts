import type { Batch, Posted, Posting } from "../store/settlements.ts"
import { UnstorableError } from "./divided-batch.ts"

/** A settlement that is durable. */
export interface Settled extends Omit<Posted, "balance"> {
  /** The account's balance after the settlement; undefined if it is not in the database yet. */
  readonly balance: bigint | undefined
}

/** The result of writing a settlement. */
export type SettlementOutcome = Settled | UnstorableError

/** Called with the database's result for a settlement that was written under the id of `node`. */
export type PostedListener = (node: string, posting: Posting, posted: Posted) => void

/** Makes settlements durable, either in the database or first in the node's journal. */
export interface SettlementWriter {
  /** Whether settlements continue while the database is unavailable. */
  readonly outlastsOutages: boolean
  /** Number of settlements that are durable, but not in the database yet. */
  readonly waiting: number
  /** The reason why settlements cannot be written; undefined if settlements can be written. */
  readonly failure: unknown
  /**
   * Writes a batch. Resolves when the batch is durable, except for settlements that the database rejects.
   * @param node the node that has leased the money.
   * @throws if the batch may not be durable.
   */
  write(node: string, batch: Batch): Promise<readonly SettlementOutcome[]>
  /** Resolves when all settlements that were written so far are in the database. */
  posted(): Promise<void>
  /**
   * Sets the listener for settlements that are posted after they were written; absent if the writer posts settlements
   * directly.
   */
  listen?(onPosted: PostedListener): void
  /**
   * Whether an abandoned attempt may still store the charge of a request whose write has failed; absent if no attempt
   * is abandoned.
   */
  isPosting?(request: string): boolean
  /** Checks whether a failure has ended. It is called periodically. */
  maintain(node: string): Promise<void>
  /** Sets the moment, by `performance.now()`, after which nothing waits for an unavailable database. */
  endBy(moment: number): void
  /** Posts all written settlements to the database, if it is available. */
  close(): Promise<void>
}

/** Writers that make settlements durable. */
export interface Writers {
  readonly usual: SettlementWriter
  /**
   * The writer for requests with an idempotency key, which posts to the database; absent if `usual` writes these too.
   */
  readonly claimed?: SettlementWriter
}

/** Returns a result without the parts that came from leases of the previous node. */
export function unleased(written: SettlementOutcome): SettlementOutcome {
  if (written instanceof UnstorableError) return written
  return { ...written, fromLease: 0n, fromBudgetLeases: written.fromBudgetLeases.map(() => 0n) }
}
