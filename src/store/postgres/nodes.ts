import type { NodeChanges, NodeRecord } from "../nodes.ts"
import type { HoldRecord } from "../settlements.ts"
import type { Store } from "../store.ts"
import type { PostgresClient, Statements } from "./client.ts"
import { takeHolds } from "../steps/settlements.ts"
import { runStep } from "./run-steps.ts"
import { giveBackAll, RECALLS_FROM_NODE } from "./leases.ts"
import { expireHolds } from "./receipts.ts"

interface NodeRow extends Omit<NodeRecord, "beatAt" | "leaseTerm"> {
  readonly lease_term: bigint | null
  /** Milliseconds since the node's last heartbeat, by the database's clock. */
  readonly silence: bigint
}

interface ChangesRow {
  readonly known: boolean
  readonly nodes: bigint
  readonly machines: bigint
  readonly revision: bigint
  readonly settings_revision: bigint
  readonly deployment_revision: bigint
  readonly recalls: readonly string[] | null
}

const BEAT = "UPDATE nodes SET beat_at = tollgate_now() WHERE id = $1"
const POLL = `SELECT EXISTS (SELECT FROM nodes WHERE id = $1) AS known,
  (SELECT count(*) FROM nodes) AS nodes,
  (SELECT count(DISTINCT coalesce(memory, id)) FROM nodes) AS machines,
  (SELECT number FROM revisions WHERE name = 'keys') AS revision,
  (SELECT number FROM revisions WHERE name = 'settings') AS settings_revision,
  (SELECT number FROM deployment_revision) AS deployment_revision,
  (${RECALLS_FROM_NODE}) AS recalls`

export function nodeMethods(client: PostgresClient): Store["nodes"] {
  return {
    async list() {
      const rows = await client.rows<NodeRow>(
        "SELECT id, process, host, machine, lease_term, tollgate_now() - beat_at AS silence FROM nodes ORDER BY id",
      )
      return rows.map(({ id, process, host, machine, silence, lease_term: term }) => ({
        id,
        process,
        host,
        // Derived from the database's clock, because the clocks of nodes may differ.
        beatAt: Date.now() - Number(silence),
        machine,
        ...(term !== null && { leaseTerm: Number(term) }),
      }))
    },
    async join({ id, process, host, machine, memory = null, leaseTerm = null }) {
      const term = leaseTerm === null ? null : BigInt(leaseTerm)
      await client.run(
        `INSERT INTO nodes (id, process, host, beat_at, machine, lease_term, memory)
         VALUES ($1, $2, $3, tollgate_now(), $4, $5, $6)
         ON CONFLICT (id) DO UPDATE SET process = excluded.process, host = excluded.host,
           beat_at = excluded.beat_at, machine = excluded.machine, lease_term = excluded.lease_term,
           memory = excluded.memory`,
        [id, BigInt(process), host, machine, term, memory],
      )
    },
    async poll(id, beatAt) {
      if (beatAt !== null) await client.run(BEAT, [id])
      return changesOf(await client.row<ChangesRow>(POLL, [id]))
    },
    remove: (id, at, silence) =>
      client.transaction((transaction) => remove(transaction, id, { at, silence })),
  }
}

/** Returns all leases of a node to the balances and expires its holds. */
async function remove(
  transaction: Statements,
  id: string,
  { at, silence }: { readonly at: number; readonly silence: number | undefined },
): Promise<HoldRecord[]> {
  // The node is deleted first, so that leases and holds that it creates from now on wait for this transaction, and then
  // find no node.
  const removed = await transaction.run(
    "DELETE FROM nodes WHERE id = $1 AND ($2::bigint IS NULL OR beat_at < tollgate_now() - $2)",
    [id, silence === undefined ? null : BigInt(silence)],
  )
  if (removed === 0 && silence !== undefined) return []
  await giveBackAll(transaction, id, at)
  const expired = await runStep(transaction, takeHolds(id))
  await expireHolds(transaction, expired)
  return expired
}

function changesOf(row: ChangesRow | null): NodeChanges {
  return {
    known: row?.known ?? false,
    nodes: Number(row?.nodes ?? 0n),
    machines: Number(row?.machines ?? 0n),
    revision: Number(row?.revision ?? 0n),
    settingsRevision: Number(row?.settings_revision ?? 0n),
    deploymentRevision: Number(row?.deployment_revision ?? 0n),
    recalls: row?.recalls ?? [],
  }
}
