import * as z from "zod"

/** The number and hash of the last line of a hash chain. */
const chainEnd = z.object({ number: z.int(), hash: z.string() })

export const anchorSchema = z.object({
  /** The number of the last covered row of `entries`, and its hash; null if the row has no hash. */
  lastRow: z.int(),
  lastHash: z.string().nullable(),
  /** The number of rows up to and including the last covered row. */
  rowCount: z.int(),
  /** The sum of the hashes of these rows, in hexadecimal. */
  hashSum: z.string(),
  /** Unix milliseconds. */
  at: z.int(),
  writeOffs: chainEnd,
  audit: chainEnd,
})

/**
 * The recorded extent of the ledger at a moment. It reveals missing rows at the end of the ledger, which hash chains do
 * not reveal. The ledger may be longer than its anchor, but never shorter.
 */
export type Anchor = z.infer<typeof anchorSchema>
export type ChainEnd = z.infer<typeof chainEnd>
