import type { LossList } from "../../shared/losses.ts"
import type { GeminiQuirks, ModelTraits } from "../quirks.ts"

/** The shared state of encoding one request. */
export interface Encoding {
  readonly quirks: GeminiQuirks
  readonly traits: ModelTraits
  readonly losses: LossList
}
