import {
  generateText,
  jsonSchema,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  Output,
  streamText,
  type SystemModelMessage,
  tool,
  type ToolSet,
} from "ai"
import {
  type ClientResponse,
  type ClientUsage,
  type Conversation,
  type Said,
  Thing,
  TOOLS,
  type ResponseOptions,
} from "./conversation.ts"
import type { SixUpstreams } from "./six-upstreams.ts"

// Disables warnings that a package prints about the names of the test models.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

type Options = NonNullable<Parameters<typeof generateText>[0]["providerOptions"]>

/** One package of the AI SDK: its models, and the parts for which the SDK has no common form. */
export interface Package {
  model(upstreams: SixUpstreams, id: string): LanguageModel
  readonly options: Options
  readonly thinking: Options
}

/** A conversation with the package `ai` and the models of one of its packages. */
export class SdkConversation implements Conversation {
  readonly #upstreams: SixUpstreams
  readonly #package: Package
  readonly #messages: ModelMessage[] = []
  #instructions: string | undefined
  #calls: readonly { readonly toolCallId: string; readonly toolName: string }[] = []

  constructor(upstreams: SixUpstreams, own: Package) {
    this.#upstreams = upstreams
    this.#package = own
  }

  say(
    model: string,
    { text, image, instructions }: Said,
    options: ResponseOptions,
  ): Promise<ClientResponse> {
    this.#instructions = instructions
    this.#messages.push({
      role: "user",
      content:
        image === undefined
          ? text
          : [
              { type: "text", text },
              { type: "image", image: new URL(image) },
            ],
    })
    return this.#ask(model, options)
  }

  answerCalls(
    model: string,
    results: readonly string[],
    options: ResponseOptions,
  ): Promise<ClientResponse> {
    const content = this.#calls.map(({ toolCallId, toolName }, index) => ({
      type: "tool-result" as const,
      toolCallId,
      toolName,
      output: { type: "text" as const, value: results[index] ?? "" },
    }))
    this.#messages.push({ role: "tool", content })
    return this.#ask(model, options)
  }

  async #ask(model: string, options: ResponseOptions): Promise<ClientResponse> {
    const order = {
      ...this.#orderOf(options),
      model: this.#package.model(this.#upstreams, model),
      messages: this.#messages,
      maxRetries: 0,
    }
    const response = options.isStreamed ? await streamed(order) : await generateText(order)
    this.#messages.push(...response.responseMessages)
    this.#calls = response.toolCalls
    return {
      text: response.text,
      thoughts: response.reasoningText ?? "",
      calls: response.toolCalls.map(({ toolName, input }) => ({
        name: toolName,
        input: input as unknown,
      })),
      finish: response.finishReason,
      usage: usageOf(response.usage),
      model: response.response.modelId,
      ...(options.isThing && { thing: response.output }),
    }
  }

  #orderOf(asked: ResponseOptions) {
    const { options, thinking } = this.#package
    return {
      providerOptions: asked.thinks ? thinking : options,
      ...(this.#instructions !== undefined && { instructions: marked(this.#instructions) }),
      ...(asked.hasTools && { tools: SDK_TOOLS }),
      ...(asked.isThing && { output: Output.object({ schema: Thing }) }),
      ...(asked.maxTokens !== undefined && { maxOutputTokens: asked.maxTokens }),
      ...(asked.stop !== undefined && { stopSequences: [asked.stop] }),
    }
  }
}

const SDK_TOOLS: ToolSet = Object.fromEntries(
  TOOLS.map(({ name, description, parameters }) => [
    name,
    tool({
      description,
      inputSchema: jsonSchema<Record<string, string>>(structuredClone(parameters)),
    }),
  ]),
)

function marked(content: string): SystemModelMessage {
  const providerOptions = { anthropic: { cacheControl: { type: "ephemeral" } } }
  return { role: "system", content, providerOptions }
}

/**
 * Returns the complete response of a stream.
 * @throws the error in the stream.
 */
async function streamed(order: Parameters<typeof streamText>[0]) {
  let failure: unknown
  const result = streamText({
    ...order,
    onError: ({ error }) => {
      failure = error
    },
  })
  await result.consumeStream()
  if (failure !== undefined) throw failure
  return {
    text: await result.text,
    reasoningText: await result.reasoningText,
    toolCalls: await result.toolCalls,
    finishReason: await result.finishReason,
    usage: await result.usage,
    response: await result.response,
    responseMessages: await result.responseMessages,
    output: await result.output,
  }
}

function usageOf(usage: LanguageModelUsage): ClientUsage {
  const { inputTokens = 0, outputTokens = 0, inputTokenDetails, outputTokenDetails } = usage
  const { reasoningTokens } = outputTokenDetails
  return {
    input: inputTokens,
    cached: inputTokenDetails.cacheReadTokens ?? 0,
    output: outputTokens,
    ...(reasoningTokens !== undefined && { reasoning: reasoningTokens }),
  }
}
