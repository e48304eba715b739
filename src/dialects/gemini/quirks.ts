/** Levels of thinking from lowest to highest (`ThinkingLevel` of @google/genai). */
export const THINKING_LEVELS = ["MINIMAL", "LOW", "MEDIUM", "HIGH"] as const

/** Google's names for the levels of thinking. */
export type ThinkingLevel = (typeof THINKING_LEVELS)[number]

/** How a model's thinking is controlled. */
export type ThinkingControl =
  /** The model rejects every `thinkingConfig`. */
  | { readonly by: "nothing" }
  | {
      readonly by: "budget"
      /** The smallest valid budget in tokens. */
      readonly min: number
      readonly max: number
      readonly canBeOff: boolean
    }
  /** The model always thinks, at one of its levels. The levels are in the order of `THINKING_LEVELS`. */
  | { readonly by: "level"; readonly levels: readonly ThinkingLevel[] }

/** Features of one family of models that differ from others. */
export interface ModelTraits {
  /** Matches the model's name after its last slash. */
  readonly name: RegExp
  readonly thinking: ThinkingControl
  /**
   * Whether a call without a signature is rejected if it is the first call in a step of the current turn
   * (docs/contribute/wire/gemini.md#f5).
   */
  readonly requiresSignatures: boolean
  /** Whether a request may combine a JSON response with functions. */
  readonly jsonWithTools: boolean
}

/** Common traits of the families before Gemini 3. */
const EARLIER = { requiresSignatures: false, jsonWithTools: false }
/** Common traits of Gemini 3 and later. */
const CURRENT = { requiresSignatures: true, jsonWithTools: true }

/**
 * Families that differ from the default traits. The first match applies. Budgets and levels are from Google's page on
 * thinking (ai.google.dev/gemini-api/docs/thinking).
 */
export const KNOWN_TRAITS: readonly ModelTraits[] = [
  {
    ...EARLIER,
    name: /^(gemini-(1|2\.0)|gemini-2\.5-.*(image|tts)|gemma-3|learnlm)/,
    thinking: { by: "nothing" },
  },
  {
    ...EARLIER,
    name: /^gemini-2\.5-pro/,
    thinking: { by: "budget", min: 128, max: 32_768, canBeOff: false },
  },
  {
    ...EARLIER,
    name: /^gemini-2\.5-flash-lite/,
    thinking: { by: "budget", min: 512, max: 24_576, canBeOff: true },
  },
  {
    ...EARLIER,
    name: /^gemini-(2\.5|robotics-er-1)/,
    thinking: { by: "budget", min: 1, max: 24_576, canBeOff: true },
  },
  { ...CURRENT, name: /^gemini-3-pro/, thinking: { by: "level", levels: ["LOW", "HIGH"] } },
  {
    ...CURRENT,
    name: /^gemini-([\d.]+-)?pro/,
    thinking: { by: "level", levels: ["LOW", "MEDIUM", "HIGH"] },
  },
]

/** The traits of models outside these families. */
const DEFAULT_TRAITS: ModelTraits = {
  ...CURRENT,
  name: /^/,
  thinking: { by: "level", levels: THINKING_LEVELS },
}

/** Returns the traits of a model, by the vendor's name for the model. */
export function traitsOf(model: string, known: readonly ModelTraits[]): ModelTraits {
  const name = model.slice(model.lastIndexOf("/") + 1)
  return known.find((traits) => traits.name.test(name)) ?? DEFAULT_TRAITS
}

/** Differences between one vendor's API for Gemini and the Gemini API. A vendor's entry lists only differences. */
export interface GeminiQuirks {
  /** Whether calls and their results have an `id`. Vertex rejects ids, and matches results by name and order. */
  readonly functionCallIds: boolean
  /** The placeholder signature for a call by another model (docs/contribute/wire/gemini.md#f6). */
  readonly foreignSignature: string
  /** Maximum candidates per request. If it is 1, `candidateCount` is not sent. */
  readonly maxCandidates: number
  /** Whether `serviceTier` is a field of the body. Vertex uses a header instead. */
  readonly serviceTier: boolean
  /** Whether requests can carry `labels`. */
  readonly labels: boolean
  /** Families of models that differ from the default traits. */
  readonly models: readonly ModelTraits[]
}

/** The quirks of the Gemini API itself. */
export const GEMINI_QUIRKS: GeminiQuirks = Object.freeze({
  functionCallIds: true,
  foreignSignature: "skip_thought_signature_validator",
  maxCandidates: 8,
  serviceTier: true,
  labels: true,
  models: KNOWN_TRAITS,
})
