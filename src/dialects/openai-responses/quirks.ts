/**
 * How a vendor's responses API departs from OpenAI's. Everything that depends on the vendor is here, so that
 * the dialect has no branch for a particular one.
 */
export interface OpenAiResponsesQuirks {
  /** Whether encrypted reasoning can be requested, and sent back (docs/contribute/wire/openai-responses.md#f9). */
  readonly encryptedReasoning: boolean
  /** Models that do not reason, by name: they refuse requests for encrypted reasoning with 400. */
  readonly unreasoningModels: RegExp
  /** Whether reasoning of earlier turns is sent as `reasoning_text`: DeepSeek reads it. */
  readonly reasoningText: boolean
  /** Whether the penalties are supported: by Open Responses, but not by OpenAI. */
  readonly penalties: boolean
  /** Whether text tools and namespaces of tools are supported; else they are sent as functions. */
  readonly customTools: boolean
  /** Whether the tools of OpenAI's agents are accepted, with all their members. */
  readonly agentTools: boolean
}

/** OpenAI's own API. */
export const OPENAI_QUIRKS: OpenAiResponsesQuirks = Object.freeze({
  encryptedReasoning: true,
  unreasoningModels: /(?:^|[/:])(?:gpt-3|gpt-4|chatgpt-|gpt-5(?:\.\d+)?-chat)/,
  reasoningText: false,
  penalties: false,
  customTools: true,
  agentTools: true,
})
