import type { Database, Statement } from "bun:sqlite"
import {
  type LeaseGrant,
  type LeaseRequest,
  type LeaseShare,
  RECALL_LIFETIME_MS,
} from "../leases.ts"
import { beginPeriod, shrinkBudgets } from "../steps/budgets.ts"
import { collectDebts, debtOf } from "../steps/debts.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Nodes } from "./nodes.ts"
import type { RunStep } from "./run-steps.ts"
import type { Transactions } from "./transactions.ts"

/** The `node` of recalls that do not come from a node, but from commands that reduce a balance. */
const NO_NODE = ""

/** Leases of balances to nodes. Methods that write must run inside a transaction. */
export class Leases {
  readonly #database: Database
  readonly #nodes: Nodes
  readonly #runStep: RunStep
  readonly #balance: Statement<{ posted: bigint; leased: bigint }, [string]>
  readonly #ownLease: Statement<{ amount: bigint }, [string, string]>
  readonly #recalls: Statement<{ owner: string }, [string, bigint]>
  readonly #changeLeased: Statement<unknown, [bigint, string]>
  readonly #enlargeLease: Statement<unknown, [string, string, bigint]>
  readonly #reduceLease: Statement<unknown, [bigint, string, string]>
  readonly #reserved: Statement<{ amount: bigint | null }, [string, bigint]>

  constructor(database: Database, nodes: Nodes, runStep: RunStep) {
    this.#database = database
    this.#nodes = nodes
    this.#runStep = runStep
    this.#balance = database.prepare("SELECT posted, leased FROM balances WHERE owner = ?")
    this.#ownLease = database.prepare("SELECT amount FROM leases WHERE owner = ? AND node = ?")
    this.#recalls = database.prepare(
      "SELECT DISTINCT recalls.owner FROM recalls JOIN leases USING (owner) WHERE leases.node = ?1 AND recalls.node <> ?1 AND leases.amount > 0 AND recalls.at > ?2",
    )
    this.#changeLeased = database.prepare("UPDATE balances SET leased = leased + ? WHERE owner = ?")
    this.#enlargeLease = database.prepare(
      "INSERT INTO leases (owner, node, amount) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET amount = amount + ?3",
    )
    this.#reduceLease = database.prepare(
      "UPDATE leases SET amount = amount - ? WHERE owner = ? AND node = ?",
    )
    this.#reserved = database.prepare(
      "SELECT sum(amount) AS amount FROM recalls WHERE owner = ? AND amount > 0 AND at > ?",
    )
  }

  /** Returns the owners whose idle leases a node has to return. */
  recallsFrom(node: string): string[] {
    return this.#recalls.all(node, BigInt(Date.now() - RECALL_LIFETIME_MS)).map((row) => row.owner)
  }

  /** Returns all leases of a node to the balances. */
  giveBackAll(node: string): void {
    const leases = this.#database
      .query<{ owner: string }, [string]>("SELECT owner FROM leases WHERE node = ?")
      .all(node)
    this.#database.run(
      "UPDATE balances SET leased = leased - (SELECT amount FROM leases WHERE leases.owner = balances.owner AND node = ?1) WHERE owner IN (SELECT owner FROM leases WHERE node = ?1)",
      [node],
    )
    this.#database.run("DELETE FROM leases WHERE node = ?", [node])
    this.#database.run("DELETE FROM recalls WHERE node = ?", [node])
    this.#applyReturned(leases)
  }

  /**
   * Leases a part of a balance. A single node gets all of it. If there are several nodes, each gets the requested
   * amount or half of an equal share, whichever is larger. Amounts below `min` are not granted, because two nodes that
   * each have half of the amount that they need would wait for each other.
   */
  take(request: LeaseRequest): Omit<LeaseGrant, "debt"> {
    const { node, owner, wanted, min } = request
    const { posted, leased } = this.#balance.get(owner) ?? this.#begin(owner)
    if (!this.#nodes.isKnown(node)) {
      // A node that was considered dead joins again within one poll. Until then it gets no leases.
      return { granted: 0n, posted, free: 0n, leasedElsewhere: posted }
    }
    const elsewhere = leased - this.leaseOf(owner, node)
    const free = posted - leased - this.#reservedOf(owner, posted - leased)
    const nodes = BigInt(this.#nodes.counts().nodes)
    const share = nodes === 1n ? free : free / (2n * nodes)
    const asked = wanted > share ? wanted : share
    const possible = asked < free ? asked : free
    const granted = possible < min ? 0n : possible
    if (granted > 0n) this.#enlarge(owner, node, granted)
    if (granted < wanted && elsewhere > 0n) this.#recallIdle(owner, node, 0n)
    return { granted, posted, free: free - granted, leasedElsewhere: elsewhere }
  }

  /** Creates the budget of a period with its first lease. */
  #begin(owner: string): { posted: bigint; leased: bigint } {
    this.#runStep(beginPeriod(owner))
    return this.balance(owner)
  }

  /** Returns the part of the free amount that is reserved because the balance will be reduced. */
  #reservedOf(owner: string, free: bigint): bigint {
    const row = this.#reserved.get(owner, BigInt(Date.now() - RECALL_LIFETIME_MS))
    const amount = row?.amount ?? 0n
    return amount < free ? amount : free
  }

  /** Asks the other nodes for the idle parts of their leases of an owner. */
  #recallIdle(owner: string, node: string, amount: bigint): void {
    const now = Date.now()
    this.#database.run("DELETE FROM recalls WHERE at <= ?", [BigInt(now - RECALL_LIFETIME_MS)])
    this.#database.run(
      "INSERT OR REPLACE INTO recalls (owner, node, at, amount) VALUES (?, ?, ?, ?)",
      [owner, node, BigInt(now), amount],
    )
  }

  /**
   * Asks all nodes for the idle parts of their leases, and temporarily reserves an amount.
   * @returns the amount that is not leased.
   */
  recall(owner: string, amount: bigint): bigint {
    this.#recallIdle(owner, NO_NODE, amount)
    const { posted, leased } = this.#balance.get(owner) ?? this.#begin(owner)
    return posted - leased
  }

  /** Ends a recall after the amount was taken out. */
  endRecall(owner: string): void {
    this.#database.run("DELETE FROM recalls WHERE owner = ? AND node = ?", [owner, NO_NODE])
  }

  giveBack(node: string, shares: readonly LeaseShare[]): void {
    for (const { owner, amount } of shares) {
      const lease = this.leaseOf(owner, node)
      const back = amount < lease ? amount : lease
      if (back <= 0n) continue
      this.#changeLeased.run(-back, owner)
      this.reduce(owner, node, back)
    }
    this.#applyReturned(shares)
  }

  /** Reduces budgets to their limits and collects debts after amounts were returned to their owners. */
  #applyReturned(leases: readonly { readonly owner: string }[]): void {
    const owners = leases.map(({ owner }) => owner)
    this.#runStep(shrinkBudgets(owners))
    this.#runStep(collectDebts(owners, Date.now()))
  }

  /** Reduces a node's lease. The caller must also reduce the owner's total of leases by this amount. */
  reduce(owner: string, node: string, amount: bigint): void {
    this.#reduceLease.run(amount, owner, node)
  }

  #enlarge(owner: string, node: string, amount: bigint): void {
    this.#changeLeased.run(amount, owner)
    this.#enlargeLease.run(owner, node, amount)
  }

  leaseOf(owner: string, node: string): bigint {
    return this.#ownLease.get(owner, node)?.amount ?? 0n
  }

  balance(owner: string): { posted: bigint; leased: bigint } {
    return this.#balance.get(owner) ?? { posted: 0n, leased: 0n }
  }
}

interface LeaseParts {
  readonly transactions: Transactions
  readonly leases: Leases
  readonly runStep: RunStep
}

export function leaseMethods({ transactions, leases, runStep }: LeaseParts): DirectStore["leases"] {
  return {
    take: (request) =>
      transactions.atomically(() => ({
        ...leases.take(request),
        debt: runStep(debtOf(request.owner)),
      })),
    giveBack: (node, shares) => transactions.atomically(() => leases.giveBack(node, shares)),
    recall: (owner, amount) => transactions.atomically(() => leases.recall(owner, amount)),
    endRecall: (owner) => transactions.atomically(() => leases.endRecall(owner)),
  }
}
