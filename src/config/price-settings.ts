import { z } from "zod"
import { address, oneOf } from "./scalars.ts"

/** Where newer lists of known prices come from. */
export interface PriceListSettings {
  /** The address that is looked at once a day; absent: none. */
  readonly refresh?: string
  /** What of a new list is put in force without asking. */
  readonly apply: ApplyRule
  /** Public keys whose lists are accepted besides the project's, base64. */
  readonly keys: readonly string[]
}

/** What of a new list is put in force without asking: nothing, prices that rise, all of it. */
export const APPLY_RULES = ["ask", "dearer", "all"] as const
export type ApplyRule = (typeof APPLY_RULES)[number]

/** An Ed25519 public key has 32 bytes. */
const publicKey = z
  .string()
  .regex(
    /^[A-Za-z0-9+/]{43}=$/,
    "is no Ed25519 public key in base64, as 'npm run prices:feed -- --new-key FILE' prints it",
  )

/** The section `prices` of a settings file. */
export const priceScalars = {
  refresh: address().optional(),
  apply: oneOf(APPLY_RULES, "rule").optional(),
  keys: z.array(publicKey).optional(),
}

interface FilePrices {
  readonly refresh?: string | undefined
  readonly apply?: ApplyRule | undefined
  readonly keys?: readonly string[] | undefined
}

/** The parsed section of the file. */
export function priceSettings(section: FilePrices | null | undefined): PriceListSettings {
  const { refresh, apply = "ask", keys = [] } = section ?? {}
  return { ...(refresh !== undefined && { refresh }), apply, keys }
}
