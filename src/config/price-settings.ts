import { z } from "zod"

/** Where newer lists of known prices come from. */
export interface PriceListSettings {
  /** Public keys whose lists are accepted besides the project's, base64. */
  readonly keys: readonly string[]
}

/** An Ed25519 public key has 32 bytes. */
const publicKey = z
  .string()
  .regex(
    /^[A-Za-z0-9+/]{43}=$/,
    "is no Ed25519 public key in base64, as 'npm run prices:feed -- --new-key FILE' prints it",
  )

/** The section `prices` of a settings file. */
export const priceScalars = { keys: z.array(publicKey).optional() }

interface FilePrices {
  readonly keys?: readonly string[] | undefined
}

/** The parsed section of the file. */
export function priceSettings(section: FilePrices | null | undefined): PriceListSettings {
  return { keys: section?.keys ?? [] }
}
