import { setting } from "../declare.ts"
import { amount, oneOf } from "../scalars.ts"

const UNPRICED_FEATURES = ["reject", "allow"] as const
const VENDOR_STATE_RULES = ["own", "any"] as const
const MULTIPLIER_PLACES = 6

/** A factor on prices. */
export const MULTIPLIER = amount(MULTIPLIER_PLACES)

export const PRICING = {
  /** Multiplier for all models that do not have their own. */
  multiplier: setting(MULTIPLIER, {
    default: "1",
    documentation: "the factor for all prices without their own factor",
    console: {
      label: "Multiplier",
      help: "Multiplies every price, unless a model has its own: 1.2 adds 20%.",
    },
  }),
  /** Handling of requests with a billed feature whose price is unknown. */
  unpricedFeatures: setting(oneOf(UNPRICED_FEATURES, "answer to a feature without a price"), {
    implied: "reject",
    documentation:
      "handling of requests with a feature that the provider bills and that has no price ([priced features](priced-features.md)); `allow` sends them, without a charge for the feature, and logs an error",
  }),
  /**
   * The vendor-stored objects that a request may refer to: with `own`, only known objects of its account; with `any`,
   * also unknown objects.
   */
  vendorState: setting(oneOf(VENDOR_STATE_RULES, "rule"), {
    implied: "own",
    documentation:
      "which objects stored at providers callers may refer to: `own`, those that a response to their account has named; `any`, also unknown ones, for which the model's whole context is held. `any` is for operators whose callers are a single tenant ([stored objects](../use/vendor-state.md))",
  }),
}
