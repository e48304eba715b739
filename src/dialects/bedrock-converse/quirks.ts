import { FAMILIES, type ModelFamily } from "./families.ts"

/** What an operator's Bedrock knows beyond ours. Data: the vendors' table holds it. */
export interface BedrockConverseQuirks {
  /**
   * What the models take, by their names; the first that fits counts. Profiles of an operator's own
   * have names that tell nothing, and need a row to be more than plain.
   */
  readonly families: readonly ModelFamily[]
}

export const BEDROCK_QUIRKS: BedrockConverseQuirks = Object.freeze({ families: FAMILIES })
