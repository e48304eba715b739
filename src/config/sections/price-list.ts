import { z } from "zod"
import { section, setting } from "../declare.ts"
import { address } from "../addresses.ts"
import { oneOf } from "../scalars.ts"

/** Which prices of a new list take effect without asking: none, those that rise, all. */
export const APPLY_RULES = ["ask", "dearer", "all"] as const
export type ApplyRule = (typeof APPLY_RULES)[number]

/** An Ed25519 public key has 32 bytes. */
const publicKey = z
  .string()
  .regex(
    /^[A-Za-z0-9+/]{43}=$/,
    "is no Ed25519 public key in base64, as 'npm run prices:feed -- --new-key FILE' prints it",
  )

/** Where newer lists of known prices come from. */
export const PRICE_LIST = section(
  "prices",
  {
    /** Fetched once a day. */
    refresh: setting(address(), {
      otherwise: "none",
      documentation:
        "an address from which a newer signed list of known prices is fetched once a day ([docs/prices.md](prices.md))",
    }),
    apply: setting(oneOf(APPLY_RULES, "rule"), {
      default: "ask",
      documentation:
        "which prices of such a list take effect without asking: `ask`, none; `dearer`, those that rise; `all` ([docs/prices.md](prices.md))",
    }),
    /** Public keys whose lists are accepted besides the project's, base64. */
    keys: setting(z.array(publicKey), {
      otherwise: "none",
      documentation:
        "public Ed25519 keys, base64, whose price lists are accepted besides the project's ([docs/prices.md](prices.md))",
    }),
  },
  { build: ({ keys = [], ...rest }) => ({ ...rest, keys }) },
)

export type PriceListSettings = ReturnType<typeof PRICE_LIST.build>
