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
  type Answer,
  type ClientUsage,
  type Conversation,
  type Said,
  Thing,
  TOOLS,
  type AnswerOptions,
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

  say(model: string, { text, image, instructions }: Said, options: AnswerOptions): Promise<Answer> {
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

  answerCalls(model: string, results: readonly string[], options: AnswerOptions): Promise<Answer> {
    const content = this.#calls.map(({ toolCallId, toolName }, index) => ({
      type: "tool-result" as const,
      toolCallId,
      toolName,
      output: { type: "text" as const, value: results[index] ?? "" },
    }))
    this.#messages.push({ role: "tool", content })
    return this.#ask(model, options)
  }

  async #ask(model: string, options: AnswerOptions): Promise<Answer> {
    const order = {
      ...this.#orderOf(options),
      model: this.#package.model(this.#upstreams, model),
      messages: this.#messages,
      maxRetries: 0,
    }
    const answer = options.isStreamed ? await streamed(order) : await generateText(order)
    this.#messages.push(...answer.responseMessages)
    this.#calls = answer.toolCalls
    return {
      text: answer.text,
      thoughts: answer.reasoningText ?? "",
      calls: answer.toolCalls.map(({ toolName, input }) => ({
        name: toolName,
        input: input as unknown,
      })),
      finish: answer.finishReason,
      usage: usageOf(answer.usage),
      model: answer.response.modelId,
      ...(options.isThing && { thing: answer.output }),
    }
  }

  #orderOf(asked: AnswerOptions) {
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
 * Returns the complete answer of a stream.
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
