import { KNOWN_TRAITS, type ModelTraits } from "./model-traits.ts"

/** How one home of Gemini departs from the Gemini API. Data: a vendor hands in what differs. */
export interface GeminiQuirks {
  /** Whether calls and their results carry an `id`; Vertex refuses it and matches by name and order. */
  readonly functionCallIds: boolean
  /** Stands for the signature of a call that another model made (WIRE.md 5). */
  readonly foreignSignature: string
  /** The most candidates of one request; with 1 there is no `candidateCount`. */
  readonly maxCandidates: number
  /** Whether `serviceTier` is a field of the body; Vertex asks for it in a header. */
  readonly serviceTier: boolean
  /** Whether requests can carry `labels`. */
  readonly labels: boolean
  /** Families of models that differ from the current one. */
  readonly models: readonly ModelTraits[]
}

/** The Gemini API itself. */
export const GEMINI_QUIRKS: GeminiQuirks = Object.freeze({
  functionCallIds: true,
  foreignSignature: "skip_thought_signature_validator",
  maxCandidates: 8,
  serviceTier: true,
  labels: true,
  models: KNOWN_TRAITS,
})
