import Anthropic from "@anthropic-ai/sdk"
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod"
import {
  type ClientResponse,
  type ClientUsage,
  type Conversation,
  CHUNKS_READ,
  type Said,
  type TestedClient,
  Thing,
  TOOLS,
  type ResponseOptions,
} from "./conversation.ts"
import type { SixUpstreams } from "./six-upstreams.ts"

/** Maximum number of tokens, enough for a response and its thinking. */
const MAX_TOKENS = 8192
const THINKING_BUDGET = 1024

/** The package @anthropic-ai/sdk. */
export const ANTHROPIC_CLIENT: TestedClient = {
  name: "anthropic",
  finishes: {
    stop: "end_turn",
    length: "max_tokens",
    calls: "tool_use",
    stopString: "stop_sequence",
  },
  hasStop: true,
  marksCache: true,
  asksForSchema: true,
  showsThoughts: true,
  // A message has no field for the signature that Gemini sends after streamed text.
  returnsSignatures: (upstream, isStreamed) => upstream !== "gemini" || !isStreamed,
  begin: (upstreams) => new MessagesConversation(anthropicOf(upstreams)),
  async leave(upstreams, model, text) {
    const messages = [{ role: "user" as const, content: text }]
    const order = { model, messages, max_tokens: MAX_TOKENS }
    const stream = anthropicOf(upstreams).messages.stream(order)
    let chunks = 0
    for await (const { type } of stream) {
      if (type === "content_block_delta") chunks++
      if (chunks === CHUNKS_READ) break
    }
    stream.abort()
  },
  errors: {
    "429": { type: Anthropic.InternalServerError, status: 529, word: "overloaded_error" },
    "500": { type: Anthropic.InternalServerError, status: 502, word: "api_error" },
    "401": { type: Anthropic.InternalServerError, status: 502, word: "api_error" },
    unknown: { type: Anthropic.NotFoundError, status: 404, word: "not_found_error" },
  },
  brokenStream: Anthropic.APIError,
  readError(error) {
    if (!(error instanceof Anthropic.APIError)) throw error
    return { status: Number(error.status), word: String(error.type) }
  },
}

/** Returns the official client for a gateway with six upstreams. */
export function anthropicOf(upstreams: SixUpstreams): Anthropic {
  return new Anthropic({
    apiKey: upstreams.caller.key,
    baseURL: upstreams.gateway.url,
    maxRetries: 0,
    fetch: upstreams.fetch,
  })
}

class MessagesConversation implements Conversation {
  readonly #client: Anthropic
  readonly #messages: Anthropic.MessageParam[] = []
  #instructions: string | undefined
  #calls: readonly Anthropic.ToolUseBlock[] = []

  constructor(client: Anthropic) {
    this.#client = client
  }

  say(
    model: string,
    { text, image, instructions }: Said,
    options: ResponseOptions,
  ): Promise<ClientResponse> {
    this.#instructions = instructions
    const content =
      image === undefined ? text : [{ type: "text" as const, text }, imageBlock(image)]
    this.#messages.push({ role: "user", content })
    return this.#ask(model, options)
  }

  answerCalls(
    model: string,
    results: readonly string[],
    options: ResponseOptions,
  ): Promise<ClientResponse> {
    const content = this.#calls.map(({ id }, index) => ({
      type: "tool_result" as const,
      tool_use_id: id,
      content: results[index] ?? "",
    }))
    this.#messages.push({ role: "user", content })
    return this.#ask(model, options)
  }

  async #ask(model: string, options: ResponseOptions): Promise<ClientResponse> {
    const { messages } = this.#client
    const body = { ...this.#bodyOf(options), model, messages: this.#messages }
    const message = options.isStreamed
      ? await messages.stream(body).finalMessage()
      : await messages.parse(body)
    const { content } = message
    this.#messages.push({ role: message.role, content })
    this.#calls = content.filter((block) => block.type === "tool_use")
    return {
      text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
      thoughts: content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
      calls: this.#calls.map(({ name, input }) => ({ name, input })),
      finish: message.stop_reason ?? "",
      usage: usageOf(message.usage),
      model: message.model,
      thing: message.parsed_output,
    }
  }

  #bodyOf(options: ResponseOptions) {
    const { maxTokens = MAX_TOKENS, stop } = options
    return {
      max_tokens: maxTokens,
      ...(this.#instructions !== undefined && { system: [markedText(this.#instructions)] }),
      ...(options.hasTools && {
        tools: TOOLS.map(({ parameters, ...tool }) => ({
          ...tool,
          input_schema: asInput(parameters),
        })),
      }),
      ...(options.thinks && {
        thinking: { type: "enabled" as const, budget_tokens: THINKING_BUDGET },
      }),
      ...(options.isThing && { output_config: { format: zodOutputFormat(Thing) } }),
      ...(stop !== undefined && { stop_sequences: [stop] }),
    }
  }
}

function markedText(text: string): Anthropic.TextBlockParam {
  return { type: "text", text, cache_control: { type: "ephemeral" } }
}

/** Returns a mutable copy, because the client requires mutable lists. */
function asInput(parameters: (typeof TOOLS)[number]["parameters"]): Anthropic.Tool.InputSchema {
  return "required" in parameters
    ? { ...parameters, required: [...parameters.required] }
    : { ...parameters }
}

function imageBlock(address: string): Anthropic.ImageBlockParam {
  const [, data] = address.split("base64,")
  return data === undefined
    ? { type: "image", source: { type: "url", url: address } }
    : { type: "image", source: { type: "base64", media_type: "image/png", data } }
}

/** Returns the usage in this client's form. Cached tokens are separate from other input tokens. */
function usageOf(usage: Anthropic.Usage): ClientUsage {
  const cached = usage.cache_read_input_tokens ?? 0
  return {
    input: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
    cached,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
  }
}
