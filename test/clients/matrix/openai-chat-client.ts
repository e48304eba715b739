import OpenAI from "openai"
import { zodResponseFormat } from "openai/helpers/zod"
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

/** The errors of the npm package openai. */
export const OPENAI_ERRORS: Pick<TestedClient, "errors" | "brokenStream" | "readError"> = {
  errors: {
    "429": { type: OpenAI.InternalServerError, status: 503, word: "upstream_overloaded" },
    "500": { type: OpenAI.InternalServerError, status: 502, word: "upstream_error" },
    "401": { type: OpenAI.InternalServerError, status: 502, word: "upstream_error" },
    unknown: { type: OpenAI.NotFoundError, status: 404, word: "model_not_found" },
  },
  brokenStream: OpenAI.APIError,
  readError(error) {
    if (!(error instanceof OpenAI.APIError)) throw error
    return { status: Number(error.status), word: String(error.code) }
  },
}

/** The package openai with `chat.completions`. */
export const OPENAI_CHAT_CLIENT: TestedClient = {
  name: "openai chat",
  finishes: { stop: "stop", length: "length", calls: "tool_calls", stopString: "stop" },
  hasStop: true,
  marksCache: true,
  asksForSchema: true,
  showsThoughts: true,
  returnsSignatures: () => true,
  begin: (upstreams) => new ChatConversation(openAiOf(upstreams)),
  async leave(upstreams, model, text) {
    const messages = [{ role: "user" as const, content: text }]
    const { completions } = openAiOf(upstreams).chat
    const stream = await completions.create({ model, messages, stream: true })
    let chunks = 0
    for await (const { choices } of stream) {
      if (choices[0]?.delta.content) chunks++
      if (chunks === CHUNKS_READ) break
    }
    stream.controller.abort()
  },
  ...OPENAI_ERRORS,
}

/** Returns the official client for a gateway with six upstreams. */
export function openAiOf(upstreams: SixUpstreams): OpenAI {
  return new OpenAI({
    apiKey: upstreams.caller.key,
    baseURL: upstreams.baseUrl,
    maxRetries: 0,
    fetch: upstreams.fetch,
  })
}

/** Fields that vendors of this format add to a message or delta. The client passes them on without types. */
interface Thinking {
  readonly content?: string | null
  readonly reasoning_content?: string
}

class ChatConversation implements Conversation {
  readonly #client: OpenAI
  readonly #messages: OpenAI.ChatCompletionMessageParam[] = []
  #calls: readonly OpenAI.ChatCompletionMessageToolCall[] = []

  constructor(client: OpenAI) {
    this.#client = client
  }

  say(
    model: string,
    { text, image, instructions }: Said,
    options: ResponseOptions,
  ): Promise<ClientResponse> {
    if (instructions !== undefined) this.#messages.push(markedInstructions(instructions))
    this.#messages.push({
      role: "user",
      content:
        image === undefined
          ? text
          : [
              { type: "text", text },
              { type: "image_url", image_url: { url: image } },
            ],
    })
    return this.#ask(model, options)
  }

  answerCalls(
    model: string,
    results: readonly string[],
    options: ResponseOptions,
  ): Promise<ClientResponse> {
    for (const [index, call] of this.#calls.entries()) {
      const content = results[index] ?? ""
      this.#messages.push({ role: "tool", tool_call_id: call.id, content })
    }
    return this.#ask(model, options)
  }

  async #ask(model: string, options: ResponseOptions): Promise<ClientResponse> {
    const { completion, thoughts } = await this.#complete(
      { ...bodyOf(options), model, messages: this.#messages },
      options,
    )
    const [choice] = completion.choices
    if (choice === undefined) throw new Error("an answer without a choice")
    const { message } = choice
    this.#messages.push(message)
    this.#calls = message.tool_calls ?? []
    return {
      text: message.content ?? "",
      thoughts: thoughts ?? "",
      calls: this.#calls.map(readCall),
      finish: choice.finish_reason,
      usage: usageOf(completion.usage),
      model: completion.model,
      ...("parsed" in message && { thing: message.parsed }),
    }
  }

  async #complete(body: OpenAI.ChatCompletionCreateParamsNonStreaming, options: ResponseOptions) {
    const { completions } = this.#client.chat
    if (!options.isStreamed) {
      const completion = options.isThing
        ? await completions.parse(body)
        : await completions.create(body)
      const message: Thinking | undefined = completion.choices[0]?.message
      return { completion, thoughts: message?.reasoning_content }
    }
    let thoughts = ""
    const stream = completions
      .stream({ ...body, stream: true, stream_options: { include_usage: true } })
      .on("chunk", ({ choices }) => {
        const delta: Thinking | undefined = choices[0]?.delta
        thoughts += delta?.reasoning_content ?? ""
      })
    return { completion: await stream.finalChatCompletion(), thoughts }
  }
}

/**
 * Returns instructions that are marked for caching in OpenRouter's form. The client's types do not include the mark.
 */
function markedInstructions(text: string): OpenAI.ChatCompletionMessageParam {
  const part = { type: "text" as const, text, cache_control: { type: "ephemeral" } }
  return { role: "system", content: [part] }
}

function bodyOf(options: ResponseOptions) {
  return {
    ...(options.hasTools && {
      tools: TOOLS.map((tool) => ({ type: "function" as const, function: tool })),
    }),
    ...(options.thinks && { reasoning_effort: "low" as const }),
    ...(options.isThing && { response_format: zodResponseFormat(Thing, "thing") }),
    ...(options.maxTokens !== undefined && { max_completion_tokens: options.maxTokens }),
    ...(options.stop !== undefined && { stop: options.stop }),
  }
}

function readCall(call: OpenAI.ChatCompletionMessageToolCall): ClientResponse["calls"][number] {
  if (call.type !== "function") throw new Error(`a call of type ${call.type}`)
  return { name: call.function.name, input: JSON.parse(call.function.arguments) as unknown }
}

/** Returns the usage in this client's form. */
export function usageOf(usage: OpenAI.CompletionUsage | undefined): ClientUsage {
  if (usage === undefined) throw new Error("an answer without usage")
  return {
    input: usage.prompt_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
    output: usage.completion_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  }
}
