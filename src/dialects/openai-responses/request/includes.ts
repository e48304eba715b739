/** Asks for reasoning in a form that can be sent back. */
export const INCLUDE_REASONING = "reasoning.encrypted_content"

/** Asks for log probabilities. */
export const INCLUDE_LOGPROBS = "message.output_text.logprobs"

/** The values of `include` that the canon has. */
export const KNOWN_INCLUDES: ReadonlySet<unknown> = new Set([INCLUDE_REASONING, INCLUDE_LOGPROBS])

/** Asks for the addresses of search results. */
export const INCLUDE_SOURCES = "web_search_call.action.sources"
