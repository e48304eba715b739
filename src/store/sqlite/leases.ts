import type { Database, Statement } from "bun:sqlite"
import type { LeaseGrant, LeaseRequest, LeaseShare } from "../leases.ts"
import type { NodeChanges, NodeRecord } from "../nodes.ts"
import type { HoldRecord } from "../settlements.ts"
import type { Budgets } from "./budgets.ts"

interface HoldRow {
  request: string
  account: string
  key: string
  amount: bigint
  at: bigint
  receipt: string
}

interface NodeRow {
  id: string
  process: bigint
  host: string
  beat_at: bigint
  machine: string | null
}

/** A node that still waits recalls again before this time is over, in milliseconds. */
const RECALL_LIFETIME = 500

/** Stands for who is no node in `recalls`: somebody wants to take something out. */
const NO_NODE = ""

const HOLD_COLUMNS = "request, account, key, amount, at, receipt"

function holdFromRow(row: HoldRow): HoldRecord {
  return { ...row, at: Number(row.at) }
}

/** Nodes and their shares of the balances. Methods that write expect to run inside a transaction. */
export class Leases {
  readonly #database: Database
  readonly #budgets: Budgets
  readonly #balance: Statement<{ posted: bigint; leased: bigint }, [string]>
  readonly #ownLease: Statement<{ amount: bigint }, [string, string]>
  readonly #countNodes: Statement<{ count: bigint }, []>
  readonly #recalls: Statement<{ owner: string }, [string, bigint]>
  readonly #isKnown: Statement<{ known: bigint }, [string]>
  readonly #changeLeased: Statement<unknown, [bigint, string]>
  readonly #enlargeLease: Statement<unknown, [string, string, bigint]>
  readonly #reduceLease: Statement<unknown, [bigint, string, string]>
  readonly #reserved: Statement<{ amount: bigint | null }, [string, bigint]>

  constructor(database: Database, budgets: Budgets) {
    this.#database = database
    this.#budgets = budgets
    this.#balance = database.prepare("SELECT posted, leased FROM balances WHERE owner = ?")
    this.#ownLease = database.prepare("SELECT amount FROM leases WHERE owner = ? AND node = ?")
    this.#countNodes = database.prepare("SELECT count(*) AS count FROM nodes")
    this.#recalls = database.prepare(
      "SELECT DISTINCT recalls.owner FROM recalls JOIN leases USING (owner) WHERE leases.node = ?1 AND recalls.node <> ?1 AND leases.amount > 0 AND recalls.at > ?2",
    )
    this.#isKnown = database.prepare("SELECT 1 AS known FROM nodes WHERE id = ?")
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

  join(node: NodeRecord): void {
    this.#database.run(
      "INSERT OR REPLACE INTO nodes (id, process, host, beat_at, machine) VALUES (?, ?, ?, ?, ?)",
      [node.id, BigInt(node.process), node.host, BigInt(node.beatAt), node.machine],
    )
  }

  beat(node: string, at: number): void {
    this.#database.run("UPDATE nodes SET beat_at = ? WHERE id = ?", [BigInt(at), node])
  }

  changes(
    node: string,
    revisions: Pick<NodeChanges, "revision" | "settingsRevision">,
  ): NodeChanges {
    return {
      known: this.#isKnown.get(node) !== null,
      nodes: Number(this.#countNodes.get()?.count ?? 1n),
      ...revisions,
      recalls: this.#recalls
        .all(node, BigInt(Date.now() - RECALL_LIFETIME))
        .map((row) => row.owner),
    }
  }

  list(): NodeRecord[] {
    return this.#database
      .query<NodeRow, []>("SELECT id, process, host, beat_at, machine FROM nodes")
      .all()
      .map((row) => ({
        id: row.id,
        process: Number(row.process),
        host: row.host,
        beatAt: Number(row.beat_at),
        machine: row.machine,
      }))
  }

  /** Takes a node out: its leases go back to the balances, and its open holds are returned. */
  remove(node: string): HoldRecord[] {
    const holds = this.#database
      .query<HoldRow, [string]>(`SELECT ${HOLD_COLUMNS} FROM holds WHERE node = ?`)
      .all(node)
    this.#database.run(
      "UPDATE balances SET leased = leased - (SELECT amount FROM leases WHERE leases.owner = balances.owner AND node = ?1) WHERE owner IN (SELECT owner FROM leases WHERE node = ?1)",
      [node],
    )
    this.#database.run("DELETE FROM leases WHERE node = ?", [node])
    this.#database.run("DELETE FROM holds WHERE node = ?", [node])
    this.#database.run("DELETE FROM recalls WHERE node = ?", [node])
    this.#database.run("DELETE FROM nodes WHERE id = ?", [node])
    this.#budgets.shrinkAll()
    return holds.map(holdFromRow)
  }

  /** What an account's requests hold, the oldest first, as far as the journal has written it down. */
  holdsOf(account: string): HoldRecord[] {
    return this.#database
      .query<HoldRow, [string]>(
        `SELECT ${HOLD_COLUMNS} FROM holds WHERE account = ? ORDER BY at, request`,
      )
      .all(account)
      .map(holdFromRow)
  }

  /**
   * A lone node gets all there is; among several each gets what it needs or a share that leaves as
   * much again for every other, whichever is more. What would be too little to be of use is not
   * granted: two nodes that each sit on half of what they need would wait for each other.
   */
  take(request: LeaseRequest): Omit<LeaseGrant, "debt"> {
    const { node, owner, wanted, least } = request
    const { posted, leased } = this.#balance.get(owner) ?? this.#begin(owner)
    if (this.#isKnown.get(node) === null) {
      // A node that was taken for dead joins again within a poll: until then it can only wait.
      return { granted: 0n, posted, free: 0n, leasedElsewhere: posted }
    }
    const elsewhere = leased - this.leaseOf(owner, node)
    const free = posted - leased - this.#reservedOf(owner, posted - leased)
    const nodes = this.#countNodes.get()?.count ?? 1n
    const share = nodes === 1n ? free : free / (2n * nodes)
    const asked = wanted > share ? wanted : share
    const possible = asked < free ? asked : free
    const granted = possible < least ? 0n : possible
    if (granted > 0n) this.#enlarge(owner, node, granted)
    if (granted < wanted && elsewhere > 0n) this.#ask(owner, node, 0n)
    return { granted, posted, free: free - granted, leasedElsewhere: elsewhere }
  }

  /** A budget of a period begins when it is first leased. */
  #begin(owner: string): { posted: bigint; leased: bigint } {
    this.#budgets.beginPeriod(owner)
    return this.balance(owner)
  }

  /** What is to be taken out of what is free. */
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
      this.#budgets.shrink(owner)
    }
  }

  /** Makes a node's lease smaller. The owner's leased sum, which always agrees, is the caller's to change. */
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
