import type { Database, Statement } from "bun:sqlite"
import type {
  HoldRecord,
  LeaseGrant,
  LeaseOrder,
  NodeNews,
  NodeRecord,
} from "../records.ts"

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
}

/** A recall older than this has been answered or given up, in milliseconds. */
const RECALL_LIFETIME = 2_000n

/** Nodes and their shares of the balances. Methods that write expect to run inside a transaction. */
export class Leases {
  readonly #database: Database
  readonly #balance: Statement<{ posted: bigint; leased: bigint }, [string]>
  readonly #ownLease: Statement<{ amount: bigint }, [string, string]>
  readonly #countNodes: Statement<{ count: bigint }, []>
  readonly #recalls: Statement<{ owner: string }, [string, bigint]>
  readonly #isKnown: Statement<{ known: bigint }, [string]>
  readonly #changeLeased: Statement<unknown, [bigint, string]>
  readonly #changeLease: Statement<unknown, [string, string, bigint]>

  constructor(database: Database) {
    this.#database = database
    this.#balance = database.prepare("SELECT posted, leased FROM balances WHERE owner = ?")
    this.#ownLease = database.prepare("SELECT amount FROM leases WHERE owner = ? AND node = ?")
    this.#countNodes = database.prepare("SELECT count(*) AS count FROM nodes")
    this.#recalls = database.prepare(
      "SELECT DISTINCT recalls.owner FROM recalls JOIN leases USING (owner) WHERE leases.node = ?1 AND recalls.node <> ?1 AND leases.amount > 0 AND recalls.at > ?2",
    )
    this.#isKnown = database.prepare("SELECT 1 AS known FROM nodes WHERE id = ?")
    this.#changeLeased = database.prepare("UPDATE balances SET leased = leased + ? WHERE owner = ?")
    this.#changeLease = database.prepare(
      "INSERT INTO leases (owner, node, amount) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET amount = amount + ?3",
    )
  }

  join(node: NodeRecord): void {
    this.#database.run("INSERT OR REPLACE INTO nodes VALUES (?, ?, ?, ?)", [
      node.id,
      BigInt(node.process),
      node.host,
      BigInt(node.beatAt),
    ])
  }

  beat(node: string, at: number): void {
    this.#database.run("UPDATE nodes SET beat_at = ? WHERE id = ?", [BigInt(at), node])
  }

  news(node: string, revision: number): NodeNews {
    return {
      known: this.#isKnown.get(node) !== null,
      nodes: Number(this.#countNodes.get()?.count ?? 1n),
      revision,
      recalls: this.#recalls
        .all(node, BigInt(Date.now()) - RECALL_LIFETIME)
        .map((row) => row.owner),
    }
  }

  list(): NodeRecord[] {
    return this.#database
      .query<NodeRow, []>("SELECT id, process, host, beat_at FROM nodes")
      .all()
      .map((row) => ({
        id: row.id,
        process: Number(row.process),
        host: row.host,
        beatAt: Number(row.beat_at),
      }))
  }

  /** Takes a node out: its leases go back to the balances, and its open holds are returned. */
  remove(node: string): HoldRecord[] {
    const holds = this.#database
      .query<HoldRow, [string]>(
        "SELECT request, account, key, amount, at, receipt FROM holds WHERE node = ?",
      )
      .all(node)
    this.#database.run(
      "UPDATE balances SET leased = leased - (SELECT amount FROM leases WHERE leases.owner = balances.owner AND node = ?1) WHERE owner IN (SELECT owner FROM leases WHERE node = ?1)",
      [node],
    )
    this.#database.run("DELETE FROM leases WHERE node = ?", [node])
    this.#database.run("DELETE FROM holds WHERE node = ?", [node])
    this.#database.run("DELETE FROM nodes WHERE id = ?", [node])
    return holds.map((row) => ({ ...row, at: Number(row.at) }))
  }

  /**
   * A lone node gets all there is; among several each gets what it needs or a share that leaves as
   * much again for every other, whichever is more.
   */
  lease(order: LeaseOrder): LeaseGrant {
    const { posted, leased } = this.balance(order.owner)
    const elsewhere = leased - this.leaseOf(order.owner, order.node)
    if (this.#isKnown.get(order.node) === null) {
      return { granted: 0n, posted, leasedElsewhere: elsewhere }
    }
    const free = posted - leased
    const nodes = this.#countNodes.get()?.count ?? 1n
    const share = nodes === 1n ? free : free / (2n * nodes)
    const asked = order.wanted > share ? order.wanted : share
    const granted = asked < free ? asked : free
    if (granted > 0n) this.change(order.owner, order.node, granted)
    if (granted < order.wanted && elsewhere > 0n) {
      this.#database.run("INSERT OR REPLACE INTO recalls VALUES (?, ?, ?)", [
        order.owner,
        order.node,
        BigInt(Date.now()),
      ])
    }
    return { granted, posted, leasedElsewhere: elsewhere }
  }

  /** Changes a node's lease and the owner's leased sum together; they always agree. */
  change(owner: string, node: string, amount: bigint): void {
    this.#changeLeased.run(amount, owner)
    this.#changeLease.run(owner, node, amount)
  }

  returnLease(node: string, owner: string, amount: bigint): void {
    const held = this.leaseOf(owner, node)
    const back = amount < held ? amount : held
    if (back > 0n) this.change(owner, node, -back)
  }

  leaseOf(owner: string, node: string): bigint {
    return this.#ownLease.get(owner, node)?.amount ?? 0n
  }

  balance(owner: string): { posted: bigint; leased: bigint } {
    return this.#balance.get(owner) ?? { posted: 0n, leased: 0n }
  }
}
