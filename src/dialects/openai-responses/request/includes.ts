/** The value of `include` that requests reasoning in a form that can be sent back. */
export const INCLUDE_REASONING = "reasoning.encrypted_content"

/** The value of `include` that requests log probabilities. */
export const INCLUDE_LOGPROBS = "message.output_text.logprobs"

/** The values of `include` that the canon can represent. */
export const KNOWN_INCLUDES: ReadonlySet<unknown> = new Set([INCLUDE_REASONING, INCLUDE_LOGPROBS])

/** The value of `include` that requests the addresses of search results. */
export const INCLUDE_SOURCES = "web_search_call.action.sources"
