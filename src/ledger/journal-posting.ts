import type { Posting } from "../store/settlements.ts"

/** Serializes a posting for the journal as JSON, with amounts as text. */
export function writePosting({ amount, writtenOff, ...posting }: Posting): string {
  return JSON.stringify({
    ...posting,
    amount: String(amount),
    writtenOff: writtenOff.map((part) => ({ ...part, amount: String(part.amount) })),
  })
}

type Written<Amounts> = Omit<Amounts, "amount"> & { readonly amount: string }
type WrittenPosting = Written<Omit<Posting, "writtenOff">> & {
  readonly writtenOff: readonly Written<Posting["writtenOff"][number]>[]
}

/**
 * Parses a posting.
 * @param body text from `writePosting`.
 */
export function readPosting(body: string): Posting {
  const { amount, writtenOff, ...posting } = JSON.parse(body) as WrittenPosting
  return {
    ...posting,
    amount: BigInt(amount),
    writtenOff: writtenOff.map((part) => ({ ...part, amount: BigInt(part.amount) })),
  }
}
