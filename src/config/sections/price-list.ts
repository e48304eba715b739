import { section, setting } from "../declare.ts"
import { address } from "../addresses.ts"
import { oneOf } from "../scalars.ts"
import { list, name } from "../shapes.ts"

/** Changes in a new list that apply without confirmation: none, only price increases, or all. */
export const APPLY_RULES = ["ask", "increases", "all"] as const
export type ApplyRule = (typeof APPLY_RULES)[number]

/** An Ed25519 public key has 32 bytes. */
const publicKey = name(
  /^[A-Za-z0-9+/]{43}=$/,
  "is not an Ed25519 public key in base64, as 'npm run prices:feed -- --new-key FILE' prints it",
)

/** The source of newer lists of known prices. */
export const PRICE_LIST = section(
  "prices",
  {
    /** The URL of newer lists, which are fetched once a day. */
    refresh: setting(address(), {
      otherwise: "none",
      documentation:
        "an address from which a newer signed list of known prices is fetched once a day ([prices](../run/prices.md))",
    }),
    apply: setting(oneOf(APPLY_RULES, "rule"), {
      default: "ask",
      documentation:
        "which changes of such a list apply without confirmation: `ask`, no changes; `increases`, price increases; `all`, every change ([prices](../run/prices.md))",
    }),
    /** Public keys in base64 whose lists are accepted in addition to the project's own. */
    keys: setting(list(publicKey, { min: 0 }), {
      otherwise: "none",
      documentation:
        "public Ed25519 keys, base64, whose price lists are accepted in addition to the project's ([prices](../run/prices.md))",
    }),
  },
  { build: ({ keys = [], ...rest }) => ({ ...rest, keys }) },
)

export type PriceListSettings = ReturnType<typeof PRICE_LIST.build>
