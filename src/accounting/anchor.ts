import * as z from "zod"

/** The end of a chain: its last line. */
const chainEnd = z.object({ number: z.int(), hash: z.string() })

export const anchorSchema = z.object({
  /** The rows of `entries` up to this one; its hash, null where it has none. */
  lastRow: z.int(),
  lastHash: z.string().nullable(),
  /** How many rows there are up to it. */
  rowCount: z.int(),
  /** The sum of their hashes, hexadecimal. */
  hashSum: z.string(),
  /** Unix milliseconds. */
  at: z.int(),
  writeOffs: chainEnd,
  audit: chainEnd,
})

/**
 * How far the ledger was at a moment. It reveals a ledger that has lost its end: the chains of hashes cannot
 * show that their last line was removed. It may be behind the ledger, never ahead.
 */
export type Anchor = z.infer<typeof anchorSchema>
export type ChainEnd = z.infer<typeof chainEnd>
