import type { Database, Statement } from "bun:sqlite"
import type { NodeChanges, NodeRecord } from "../nodes.ts"

interface NodeRow {
  id: string
  process: bigint
  host: string
  beat_at: bigint
  machine: string | null
}

type Revision = "keys" | "settings" | "deployments"

/** Stores the processes that share the ledger. Methods that write must run inside a transaction. */
export class Nodes {
  readonly #database: Database
  readonly #count: Statement<{ nodes: bigint; machines: bigint }, []>
  readonly #isKnown: Statement<{ known: bigint }, [string]>

  readonly #revisions: Statement<Readonly<Record<Revision, bigint>>, []>

  constructor(database: Database) {
    this.#database = database
    this.#count = database.prepare(
      "SELECT count(*) AS nodes, count(DISTINCT coalesce(memory, id)) AS machines FROM nodes",
    )
    this.#revisions = database.prepare(
      `SELECT (SELECT number FROM revision) AS keys, (SELECT number FROM settings_revision) AS settings,
         (SELECT number FROM deployment_revision) AS deployments`,
    )
    this.#isKnown = database.prepare("SELECT 1 AS known FROM nodes WHERE id = ?")
  }

  join(node: NodeRecord): void {
    this.#database.run(
      "INSERT OR REPLACE INTO nodes (id, process, host, beat_at, machine, memory) VALUES (?, ?, ?, ?, ?, ?)",
      [
        node.id,
        BigInt(node.process),
        node.host,
        BigInt(node.beatAt),
        node.machine,
        node.memory ?? null,
      ],
    )
  }

  beat(node: string, at: number): void {
    this.#database.run("UPDATE nodes SET beat_at = ? WHERE id = ?", [BigInt(at), node])
  }

  /** Returns the time of a node's last heartbeat in Unix milliseconds; undefined for an unknown node. */
  beatOf(node: string): number | undefined {
    const row = this.#database
      .query<{ beat_at: bigint }, [string]>("SELECT beat_at FROM nodes WHERE id = ?")
      .get(node)
    return row ? Number(row.beat_at) : undefined
  }

  isKnown(node: string): boolean {
    return this.#isKnown.get(node) !== null
  }

  counts(): { readonly nodes: number; readonly machines: number } {
    const { nodes = 1n, machines = 1n } = this.#count.get() ?? {}
    return { nodes: Number(nodes), machines: Number(machines) }
  }

  /**
   * Returns counters that increase with every change to keys and settings, and with every report on a deployment. Other
   * processes poll them.
   */
  revisions(): Omit<NodeChanges, "known" | "nodes" | "machines" | "recalls"> {
    const row = this.#revisions.get()
    return {
      revision: Number(row?.keys ?? 0n),
      settingsRevision: Number(row?.settings ?? 0n),
      deploymentRevision: Number(row?.deployments ?? 0n),
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

  remove(node: string): void {
    this.#database.run("DELETE FROM nodes WHERE id = ?", [node])
  }
}
