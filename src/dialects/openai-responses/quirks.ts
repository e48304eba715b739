/**
 * Differences between a vendor's responses API and OpenAI's. All differences are listed here, so that the dialect needs
 * no branch for a particular vendor.
 */
export interface OpenAiResponsesQuirks {
  /** Whether encrypted reasoning can be requested and sent back (docs/contribute/wire/openai-responses.md#f9). */
  readonly encryptedReasoning: boolean
  /** Matches the names of models that do not reason. They reject requests for encrypted reasoning with status 400. */
  readonly unreasoningModels: RegExp
  /** Whether reasoning of earlier turns is sent as `reasoning_text`, which DeepSeek reads. */
  readonly reasoningText: boolean
  /** Whether the vendor supports the penalties. Open Responses has them, but OpenAI does not. */
  readonly penalties: boolean
  /** Whether the vendor supports custom tools and namespaces of tools. Otherwise, these tools are sent as functions. */
  readonly customTools: boolean
  /** Whether the vendor accepts the tools of OpenAI's agents, with all their members. */
  readonly agentTools: boolean
}

/** The quirks of OpenAI's own API. */
export const OPENAI_QUIRKS: OpenAiResponsesQuirks = Object.freeze({
  encryptedReasoning: true,
  unreasoningModels: /(?:^|[/:])(?:gpt-3|gpt-4|chatgpt-|gpt-5(?:\.\d+)?-chat)/,
  reasoningText: false,
  penalties: false,
  customTools: true,
  agentTools: true,
})
