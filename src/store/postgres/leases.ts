import type { LeaseGrant, LeaseRequest, LeaseShare } from "../leases.ts"
import type { Store } from "../store.ts"
import { beginPeriod, shrinkBudget } from "./budgets.ts"
import type { PostgresClient, Statements } from "./client.ts"
import { collectDebt } from "./debts.ts"

/** A node that still waits recalls again before this time is over, in milliseconds. */
const RECALL_LIFETIME = 500

/** Stands for who is no node in `recalls`: someone wants to take something out. */
const NO_NODE = ""

/** The owners whose idle leases are asked back from the node $1, as an array. */
export const RECALLS_FROM_NODE = `SELECT array_agg(DISTINCT recalls.owner)
  FROM recalls JOIN leases ON leases.owner = recalls.owner
  WHERE leases.node = $1 AND recalls.node <> $1 AND leases.amount > 0
    AND recalls.at > tollgate_now() - ${RECALL_LIFETIME}`

interface GrantRow {
  readonly granted: bigint
  readonly posted: bigint
  readonly free: bigint
  readonly leased_elsewhere: bigint
  readonly debt: bigint
}

/** How nodes get their shares of balances, and give them back. */
export function leaseMethods(client: PostgresClient): Store["leases"] {
  return {
    take: (request) => take(client, request),
    giveBack: (node, shares) =>
      client.transaction(async (transaction) => {
        for (const share of inOrder(shares)) await giveBack(transaction, node, share)
        for (const { owner } of inOrder(shares)) await collectDebt(transaction, owner, Date.now())
      }),
    recall: (owner, amount) =>
      client.transaction(async (transaction) => {
        await ask(transaction, owner, amount)
        const free = await freeOf(transaction, owner)
        if (free !== null) return free
        await beginPeriod(transaction, owner)
        return (await freeOf(transaction, owner)) ?? 0n
      }),
    async endRecall(owner) {
      await client.run("DELETE FROM recalls WHERE owner = $1 AND node = $2", [owner, NO_NODE])
    },
  }
}

/**
 * A lone node gets all there is; among several each gets what it needs or a share that leaves as
 * much again for every other, whichever is more. What would be too little to be of use is not
 * granted: two nodes that each sit on half of what they need would wait for each other.
 */
async function take(client: PostgresClient, request: LeaseRequest): Promise<LeaseGrant> {
  const grant = await tryTake(client, request)
  if (grant) return grant
  // A budget of a period begins when it is first leased.
  await client.transaction((transaction) => beginPeriod(transaction, request.owner))
  return (await tryTake(client, request)) ?? NOTHING
}

const NOTHING: LeaseGrant = { granted: 0n, posted: 0n, free: 0n, leasedElsewhere: 0n, debt: 0n }

/** @returns null when the owner has no balance. */
function tryTake(client: PostgresClient, request: LeaseRequest): Promise<LeaseGrant | null> {
  const { node, owner, wanted, min } = request
  return client.transaction(async (transaction) => {
    const row = await transaction.row<GrantRow>(
      "SELECT granted, posted, free, leased_elsewhere, debt FROM take_lease($1, $2, $3, $4)",
      [node, owner, wanted, min],
    )
    if (!row) return null
    const { granted, posted, free, leased_elsewhere: leasedElsewhere, debt } = row
    return { granted, posted, free, leasedElsewhere, debt }
  })
}

/** All that a node has leased goes back to the balances. */
export async function giveBackAll(transaction: Statements, node: string): Promise<void> {
  await transaction.run(
    `SELECT 1 FROM balances WHERE owner IN (SELECT owner FROM leases WHERE node = $1)
     ORDER BY owner FOR UPDATE`,
    [node],
  )
  await transaction.run(
    `UPDATE balances SET leased = leased - leases.amount FROM leases
     WHERE leases.owner = balances.owner AND leases.node = $1`,
    [node],
  )
  await transaction.run("DELETE FROM leases WHERE node = $1", [node])
  await transaction.run("DELETE FROM recalls WHERE node = $1", [node])
}

async function giveBack(
  transaction: Statements,
  node: string,
  { owner, amount }: LeaseShare,
): Promise<void> {
  await transaction.run("SELECT 1 FROM balances WHERE owner = $1 FOR UPDATE", [owner])
  const lease = await transaction.row<{ amount: bigint }>(
    "SELECT amount FROM leases WHERE owner = $1 AND node = $2",
    [owner, node],
  )
  const back = lease && lease.amount < amount ? lease.amount : amount
  if (!lease || back <= 0n) return
  await transaction.run("UPDATE balances SET leased = leased - $2 WHERE owner = $1", [owner, back])
  await transaction.run("UPDATE leases SET amount = amount - $3 WHERE owner = $1 AND node = $2", [
    owner,
    node,
    back,
  ])
  await shrinkBudget(transaction, owner)
}

/** Asks all nodes for the idle part of their leases. */
async function ask(transaction: Statements, owner: string, amount: bigint): Promise<void> {
  await transaction.run(
    `INSERT INTO recalls (owner, node, at, amount) VALUES ($1, $2, tollgate_now(), $3)
     ON CONFLICT (owner, node) DO UPDATE SET at = excluded.at, amount = excluded.amount`,
    [owner, NO_NODE, amount],
  )
}

async function freeOf(transaction: Statements, owner: string): Promise<bigint | null> {
  const row = await transaction.row<{ free: bigint }>(
    "SELECT posted - leased AS free FROM balances WHERE owner = $1",
    [owner],
  )
  return row?.free ?? null
}

/** Everyone locks balances in the order of their bytes. */
function inOrder(shares: readonly LeaseShare[]): LeaseShare[] {
  return shares.toSorted((left, right) =>
    Buffer.compare(Buffer.from(left.owner), Buffer.from(right.owner)),
  )
}
