import type { LossList } from "../../shared/losses.ts"
import type { GeminiQuirks, ModelTraits } from "../quirks.ts"

/** What the steps of encoding one request share. */
export interface Encoding {
  readonly quirks: GeminiQuirks
  readonly traits: ModelTraits
  readonly losses: LossList
}
