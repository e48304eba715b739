import type OpenAI from "openai"
import { zodTextFormat } from "openai/helpers/zod"
import { toResponseInputItems } from "openai/lib/responses/ResponseInputItems"
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
import { openAiOf, OPENAI_ERRORS } from "./openai-chat-client.ts"

type Responses = OpenAI.Responses.Response
type InputItem = OpenAI.Responses.ResponseInputItem

/** The package openai with `responses`. */
export const OPENAI_RESPONSES_CLIENT: TestedClient = {
  name: "openai responses",
  finishes: {
    stop: "completed",
    length: "max_output_tokens",
    calls: "completed",
    stopString: "completed",
  },
  hasStop: false,
  marksCache: true,
  asksForSchema: true,
  showsThoughts: true,
  returnsSignatures: () => true,
  begin: (upstreams) => new ResponsesConversation(openAiOf(upstreams)),
  async leave(upstreams, model, text) {
    const stream = openAiOf(upstreams).responses.stream({ model, input: text })
    let chunks = 0
    for await (const { type } of stream) {
      if (type === "response.output_text.delta") chunks++
      if (chunks === CHUNKS_READ) break
    }
    stream.abort()
  },
  ...OPENAI_ERRORS,
}

class ResponsesConversation implements Conversation {
  readonly #client: OpenAI
  readonly #items: InputItem[] = []
  #calls: readonly OpenAI.Responses.ResponseFunctionToolCall[] = []

  constructor(client: OpenAI) {
    this.#client = client
  }

  say(
    model: string,
    { text, image, instructions }: Said,
    options: ResponseOptions,
  ): Promise<ClientResponse> {
    if (instructions !== undefined) this.#items.push(markedInstructions(instructions))
    this.#items.push({
      role: "user",
      content:
        image === undefined
          ? text
          : [
              { type: "input_text", text },
              { type: "input_image", image_url: image, detail: "auto" },
            ],
    })
    return this.#ask(model, options)
  }

  answerCalls(
    model: string,
    results: readonly string[],
    options: ResponseOptions,
  ): Promise<ClientResponse> {
    for (const [index, { call_id }] of this.#calls.entries()) {
      this.#items.push({ type: "function_call_output", call_id, output: results[index] ?? "" })
    }
    return this.#ask(model, options)
  }

  async #ask(model: string, options: ResponseOptions): Promise<ClientResponse> {
    const { responses } = this.#client
    const body = { ...bodyOf(options), model, input: this.#items }
    const response = options.isStreamed
      ? await responses.stream(body).finalResponse()
      : await responses.parse(body)
    // The parsed output is not part of the response. A function of the client removes it.
    this.#items.push(...toResponseInputItems(response.output))
    this.#calls = response.output.filter((item) => item.type === "function_call")
    return {
      text: response.output_text,
      thoughts: thoughtsIn(response),
      calls: this.#calls.map((call) => ({
        name: call.name,
        input: JSON.parse(call.arguments) as unknown,
      })),
      finish: response.incomplete_details?.reason ?? response.status ?? "",
      usage: usageOf(response.usage),
      model: response.model,
      thing: response.output_parsed,
    }
  }
}

function markedInstructions(text: string): InputItem {
  const mark = { mode: "explicit" as const }
  return {
    role: "system",
    content: [{ type: "input_text", text, prompt_cache_breakpoint: mark }],
  }
}

function bodyOf(options: ResponseOptions) {
  return {
    ...(options.hasTools && {
      tools: TOOLS.map((tool) => ({ ...tool, type: "function" as const, strict: true })),
    }),
    ...(options.thinks && {
      reasoning: { effort: "low" as const, summary: "auto" as const },
      include: ["reasoning.encrypted_content" as const],
      store: false,
    }),
    ...(options.isThing && { text: { format: zodTextFormat(Thing, "thing") } }),
    ...(options.maxTokens !== undefined && { max_output_tokens: options.maxTokens }),
  }
}

/** Returns a summary of the thoughts, or the thoughts themselves if the vendor returns them. */
function thoughtsIn({ output }: Responses): string {
  return output
    .flatMap((item) =>
      item.type === "reasoning" ? [...item.summary, ...(item.content ?? [])] : [],
    )
    .map(({ text }) => text)
    .join("")
}

function usageOf(usage: OpenAI.Responses.ResponseUsage | undefined): ClientUsage {
  if (usage === undefined) throw new Error("an answer without usage")
  return {
    input: usage.input_tokens,
    cached: usage.input_tokens_details.cached_tokens,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details.reasoning_tokens,
  }
}
