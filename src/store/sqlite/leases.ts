import type { Database, Statement } from "bun:sqlite"
import type { LeaseGrant, LeaseRequest, LeaseShare } from "../leases.ts"
import { beginPeriod, shrinkBudgets } from "../steps/budgets.ts"
import { collectDebts, debtOf } from "../steps/debts.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Nodes } from "./nodes.ts"
import type { RunStep } from "./run-steps.ts"
import type { Transactions } from "./transactions.ts"

/** A node that still waits recalls again before this time is over, in milliseconds. */
const RECALL_LIFETIME = 500

/** Stands for who is no node in `recalls`: someone wants to take something out. */
const NO_NODE = ""

/** The shares of balances that nodes hold. Methods that write expect to run inside a transaction. */
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

  /** Owners whose idle leases are asked back from a node. */
  recallsFrom(node: string): string[] {
    return this.#recalls.all(node, BigInt(Date.now() - RECALL_LIFETIME)).map((row) => row.owner)
  }

  /** All that a node has leased goes back to the balances. */
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
    this.#cameBack(leases)
  }

  /**
   * A lone node gets all there is; among several each gets what it needs or a share that leaves as
   * much again for every other, whichever is more. What would be too little to be of use is not
   * granted: two nodes that each sit on half of what they need would wait for each other.
   */
  take(request: LeaseRequest): Omit<LeaseGrant, "debt"> {
    const { node, owner, wanted, min } = request
    const { posted, leased } = this.#balance.get(owner) ?? this.#begin(owner)
    if (!this.#nodes.isKnown(node)) {
      // A node that was taken for dead joins again within a poll: until then it can only wait.
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
    if (granted < wanted && elsewhere > 0n) this.#ask(owner, node, 0n)
    return { granted, posted, free: free - granted, leasedElsewhere: elsewhere }
  }

  /** A budget of a period begins when it is first leased. */
  #begin(owner: string): { posted: bigint; leased: bigint } {
    this.#runStep(beginPeriod(owner))
    return this.balance(owner)
  }

  /** What to take out of what is free. */
  #reservedOf(owner: string, free: bigint): bigint {
    const row = this.#reserved.get(owner, BigInt(Date.now() - RECALL_LIFETIME))
    const amount = row?.amount ?? 0n
    return amount < free ? amount : free
  }

  /** Asks the other nodes for the idle part of their leases. */
  #ask(owner: string, node: string, amount: bigint): void {
    const now = Date.now()
    this.#database.run("DELETE FROM recalls WHERE at <= ?", [BigInt(now - RECALL_LIFETIME)])
    this.#database.run(
      "INSERT OR REPLACE INTO recalls (owner, node, at, amount) VALUES (?, ?, ?, ?)",
      [owner, node, BigInt(now), amount],
    )
  }

  /**
   * Asks all nodes for the idle parts of their leases, and for a while leases nothing of an amount.
   * @returns what is free now.
   */
  recall(owner: string, amount: bigint): bigint {
    this.#ask(owner, NO_NODE, amount)
    const { posted, leased } = this.#balance.get(owner) ?? this.#begin(owner)
    return posted - leased
  }

  /** The opposite, once it is taken out. */
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
    this.#cameBack(shares)
  }

  /** Uses returned credits: reduces budgets to their limits, and pays debts. */
  #cameBack(leases: readonly { readonly owner: string }[]): void {
    const owners = leases.map(({ owner }) => owner)
    this.#runStep(shrinkBudgets(owners))
    this.#runStep(collectDebts(owners, Date.now()))
  }

  /** Makes a node's lease smaller. The owner's leased sum, which has to agree, is changed by the caller. */
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

/** How nodes get their shares of balances, and give them back. */
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
