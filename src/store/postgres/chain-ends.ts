import type { Statements } from "./client.ts"

/** A chain of records that belongs to no single account. */
type Chain = "audit" | "write_offs"

interface ChainEnd {
  readonly number: number
  readonly hash: string
}

/** Locks the end of a chain until the transaction is over, so that each number is given once and none is left out. */
export async function lockChainEnd(transaction: Statements, chain: Chain): Promise<ChainEnd> {
  const end = await transaction.row<{ number: bigint; hash: string }>(
    "SELECT number, hash FROM chain_ends WHERE name = $1 FOR UPDATE",
    [chain],
  )
  if (!end) throw new Error(`the database has no end of the chain '${chain}'`)
  return { number: Number(end.number), hash: end.hash }
}

/** The chain ends with another record now. */
export async function moveChainEnd(
  transaction: Statements,
  chain: Chain,
  { number, hash }: ChainEnd,
): Promise<void> {
  await transaction.run("UPDATE chain_ends SET number = $2, hash = $3 WHERE name = $1", [
    chain,
    BigInt(number),
    hash,
  ])
}
