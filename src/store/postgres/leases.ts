import {
  type LeaseGrant,
  type LeaseRequest,
  type LeaseShare,
  RECALL_LIFETIME_MS,
} from "../leases.ts"
import type { Store } from "../store.ts"
import { bigints, texts } from "./arrays.ts"
import { beginPeriod, shrinkBudgets } from "../steps/budgets.ts"
import type { PostgresClient, Statements } from "./client.ts"
import { collectDebts } from "../steps/debts.ts"
import { runStep } from "./run-steps.ts"

/** The `node` of recalls that do not come from a node, but from commands that reduce a balance. */
const NO_NODE = ""

/** The highest possible balance, to which requested amounts are capped. */
const MAX_BALANCE = 2n ** 63n - 1n

/** The owners of idle leases that node $1 has to return, as an array. */
export const RECALLS_FROM_NODE = `SELECT array_agg(DISTINCT recalls.owner)
  FROM recalls JOIN leases ON leases.owner = recalls.owner
  WHERE leases.node = $1 AND recalls.node <> $1 AND leases.amount > 0
    AND recalls.at > tollgate_now() - ${RECALL_LIFETIME_MS}`

interface GrantRow {
  readonly granted: bigint
  readonly posted: bigint
  readonly free: bigint
  readonly leased_elsewhere: bigint
  readonly debt: bigint
}

/**
 * Selects all leases of node $1. The amount is never negative, but the index is only used if the condition is repeated.
 */
const OF_NODE = "leases.node = $1 AND leases.amount >= 0"

export function leaseMethods(client: PostgresClient): Store["leases"] {
  return {
    take: (request) => take(client, request),
    giveBack: (node, shares) =>
      client.transaction((transaction) => giveBack(transaction, node, shares)),
    recall: (owner, amount) =>
      client.transaction(async (transaction) => {
        await recallIdle(transaction, owner, amount)
        const free = await freeOf(transaction, owner)
        if (free !== null) return free
        await runStep(transaction, beginPeriod(owner))
        return (await freeOf(transaction, owner)) ?? 0n
      }),
    async endRecall(owner) {
      await client.run("DELETE FROM recalls WHERE owner = $1 AND node = $2", [owner, NO_NODE])
    },
  }
}

/**
 * Leases a part of a balance. A single node gets all of it. If there are several nodes, each gets the requested amount
 * or half of an equal share, whichever is larger. Amounts below `min` are not granted, because two nodes that each have
 * half of the amount that they need would wait for each other.
 */
async function take(client: PostgresClient, request: LeaseRequest): Promise<LeaseGrant> {
  const grant = await tryTake(client, request)
  if (grant) return grant
  // The budget of a period is created with its first lease.
  await client.transaction((transaction) => runStep(transaction, beginPeriod(request.owner)))
  return (await tryTake(client, request)) ?? NOTHING
}

const NOTHING: LeaseGrant = { granted: 0n, posted: 0n, free: 0n, leasedElsewhere: 0n, debt: 0n }

/**
 * Tries to lease a part of a balance.
 * @returns null if the owner has no balance.
 */
function tryTake(client: PostgresClient, request: LeaseRequest): Promise<LeaseGrant | null> {
  const { node, owner, wanted, min } = request
  return client.transaction(async (transaction) => {
    const row = await transaction.row<GrantRow>(
      "SELECT granted, posted, free, leased_elsewhere, debt FROM take_lease($1, $2, $3, $4)",
      [node, owner, smaller(wanted, MAX_BALANCE), smaller(min, MAX_BALANCE)],
    )
    if (!row) return null
    const { granted, posted, free, leased_elsewhere: leasedElsewhere, debt } = row
    return { granted, posted, free, leasedElsewhere, debt }
  })
}

/**
 * Returns all leases of a node to the balances.
 * @param at the time in Unix milliseconds.
 */
export async function giveBackAll(
  transaction: Statements,
  node: string,
  at: number,
): Promise<void> {
  const rows = await transaction.rows<{ owner: string }>(
    `SELECT owner FROM balances WHERE owner IN (SELECT owner FROM leases WHERE ${OF_NODE})
     ORDER BY owner FOR UPDATE`,
    [node],
  )
  await transaction.run(
    `UPDATE balances SET leased = leased - leases.amount FROM leases
     WHERE leases.owner = balances.owner AND ${OF_NODE}`,
    [node],
  )
  await transaction.run(`DELETE FROM leases WHERE ${OF_NODE}`, [node])
  await transaction.run("DELETE FROM recalls WHERE node = $1", [node])
  await applyReturned(
    transaction,
    rows.map(({ owner }) => owner),
    at,
  )
}

async function giveBack(
  transaction: Statements,
  node: string,
  shares: readonly LeaseShare[],
): Promise<void> {
  const amounts = sumsOf(shares)
  const owners = texts([...amounts.keys()])
  await transaction.run("SELECT 1 FROM balances WHERE owner = ANY($1) ORDER BY owner FOR UPDATE", [
    owners,
  ])
  // The node returns at most the leased amount. The lock on the balance also protects its leases.
  const leases = await transaction.rows<LeaseShare>(
    "SELECT owner, amount FROM leases WHERE node = $1 AND owner = ANY($2)",
    [node, owners],
  )
  const back = leases.map(({ owner, amount }) => smaller(amount, amounts.get(owner) ?? 0n))
  const given = [texts(leases.map(({ owner }) => owner)), bigints(back)]
  await transaction.run(
    `UPDATE balances SET leased = leased - back.amount
     FROM unnest($1::text[], $2::bigint[]) AS back (owner, amount) WHERE balances.owner = back.owner`,
    given,
  )
  await transaction.run(
    `UPDATE leases SET amount = leases.amount - back.amount
     FROM unnest($1::text[], $2::bigint[]) AS back (owner, amount) WHERE leases.owner = back.owner AND leases.node = $3`,
    [...given, node],
  )
  await applyReturned(transaction, [...amounts.keys()], Date.now())
}

/**
 * Reduces budgets to their limits and collects debts after amounts were returned to their owners. Only these owners are
 * affected, because locking other balances now would violate the lock order.
 */
async function applyReturned(
  transaction: Statements,
  owners: readonly string[],
  at: number,
): Promise<void> {
  await runStep(transaction, shrinkBudgets(owners))
  await runStep(transaction, collectDebts(owners, at))
}

/** Asks all nodes for the idle parts of their leases of an owner. */
async function recallIdle(transaction: Statements, owner: string, amount: bigint): Promise<void> {
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

function sumsOf(shares: readonly LeaseShare[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { owner, amount } of shares) {
    if (amount > 0n) sums.set(owner, (sums.get(owner) ?? 0n) + amount)
  }
  return sums
}

function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}
