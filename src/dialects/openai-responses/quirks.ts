/**
 * How a vendor's responses API departs from OpenAI's. All that depends on the vendor is here, so that
 * the dialect has no branch for any one of them.
 */
export interface OpenAiResponsesQuirks {
  /** Whether reasoning comes encrypted when asked for, and is taken back (docs/wire/openai-responses.md#f9). */
  readonly encryptedReasoning: boolean
  /** Models that do not reason, by their names: asked for encrypted reasoning, they refuse with 400. */
  readonly unreasoningModels: RegExp
  /** Whether reasoning of earlier turns goes up as `reasoning_text`: DeepSeek reads it. */
  readonly reasoningText: boolean
  /** Whether the penalties are known: Open Responses has them, OpenAI has not. */
  readonly penalties: boolean
  /** Whether tools that take text, and namespaces of tools, are known; else they go up as functions. */
  readonly customTools: boolean
}

/** OpenAI's own API. */
export const OPENAI_QUIRKS: OpenAiResponsesQuirks = Object.freeze({
  encryptedReasoning: true,
  unreasoningModels: /(?:^|[/:])(?:gpt-3|gpt-4|chatgpt-|gpt-5(?:\.\d+)?-chat)/,
  reasoningText: false,
  penalties: false,
  customTools: true,
})
