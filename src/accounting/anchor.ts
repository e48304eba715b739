import * as z from "zod"

/** The last line of a chain. */
const chainEnd = z.object({ number: z.int(), hash: z.string() })

export const anchorSchema = z.object({
  /** The last covered row of `entries`, and its hash; null if it has no hash. */
  lastRow: z.int(),
  lastHash: z.string().nullable(),
  /** The number of rows up to it. */
  rowCount: z.int(),
  /** The sum of their hashes, hexadecimal. */
  hashSum: z.string(),
  /** Unix milliseconds. */
  at: z.int(),
  writeOffs: chainEnd,
  audit: chainEnd,
})

/**
 * The extent of the ledger at a moment. It reveals that rows were cut off the end, unlike the chains of hashes. It may
 * be behind the ledger, but never ahead.
 */
export type Anchor = z.infer<typeof anchorSchema>
export type ChainEnd = z.infer<typeof chainEnd>
