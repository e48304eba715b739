import {
  ApiError,
  type Content,
  type FunctionCall,
  type GenerateContentConfig,
  type GenerateContentResponse,
  type GenerateContentResponseUsageMetadata,
  GoogleGenAI,
  type Part,
  ThinkingLevel,
} from "@google/genai"
import * as z from "zod"
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

/** The package @google/genai. */
export const GOOGLE_CLIENT: TestedClient = {
  name: "google",
  finishes: { stop: "STOP", length: "MAX_TOKENS", calls: "STOP", stopString: "STOP" },
  hasStop: true,
  marksCache: false,
  asksForSchema: true,
  showsThoughts: true,
  // Gemini's dialect is also the client's dialect, so the body is passed on unchanged.
  imagesByUrl: { gemini: "[image url]" },
  returnsSignatures: () => true,
  begin: (upstreams) => new ContentsConversation(googleOf(upstreams)),
  async leave(upstreams, model, text) {
    const left = new AbortController()
    const config = { abortSignal: left.signal }
    const order = { model, contents: text, config }
    const stream = await googleOf(upstreams).models.generateContentStream(order)
    let chunks = 0
    for await (const _ of stream) if (++chunks === CHUNKS_READ) break
    left.abort()
  },
  errors: {
    "429": { type: ApiError, status: 503, word: "UNAVAILABLE" },
    "500": { type: ApiError, status: 502, word: "UNAVAILABLE" },
    "401": { type: ApiError, status: 502, word: "UNAVAILABLE" },
    unknown: { type: ApiError, status: 404, word: "NOT_FOUND" },
  },
  brokenStream: ApiError,
  readError(error) {
    if (!(error instanceof ApiError)) throw error
    // The client puts the text of the error response into its error message unchanged.
    const body = JSON.parse(error.message) as { error: { status: string } }
    return { status: error.status, word: body.error.status }
  },
}

/** Returns the official client for a gateway with six upstreams. */
export function googleOf(upstreams: SixUpstreams): GoogleGenAI {
  return new GoogleGenAI({
    apiKey: upstreams.caller.key,
    httpOptions: { baseUrl: upstreams.gateway.url, fetch: upstreams.fetch },
  })
}

class ContentsConversation implements Conversation {
  readonly #client: GoogleGenAI
  readonly #contents: Content[] = []
  #instructions: string | undefined
  #calls: readonly FunctionCall[] = []

  constructor(client: GoogleGenAI) {
    this.#client = client
  }

  say(
    model: string,
    { text, image, instructions }: Said,
    options: ResponseOptions,
  ): Promise<ClientResponse> {
    this.#instructions = instructions
    const parts: Part[] = image === undefined ? [{ text }] : [{ text }, imagePart(image)]
    this.#contents.push({ role: "user", parts })
    return this.#ask(model, options)
  }

  answerCalls(
    model: string,
    results: readonly string[],
    options: ResponseOptions,
  ): Promise<ClientResponse> {
    const parts = this.#calls.map(({ id = "", name = "" }, index) => ({
      functionResponse: { id, name, response: { output: results[index] ?? "" } },
    }))
    this.#contents.push({ role: "user", parts })
    return this.#ask(model, options)
  }

  async #ask(model: string, options: ResponseOptions): Promise<ClientResponse> {
    const { models } = this.#client
    const order = { model, contents: this.#contents, config: this.#configOf(options) }
    const chunks: GenerateContentResponse[] = []
    if (options.isStreamed) {
      for await (const chunk of await models.generateContentStream(order)) chunks.push(chunk)
    } else chunks.push(await models.generateContent(order))
    const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
    this.#contents.push({ role: "model", parts })
    this.#calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
    const last = chunks.at(-1)
    const text = textOf(parts, false)
    return {
      text,
      thoughts: textOf(parts, true),
      calls: this.#calls.map(({ name = "", args }) => ({ name, input: args })),
      finish: last?.candidates?.[0]?.finishReason ?? "",
      usage: usageOf(last?.usageMetadata),
      model: last?.modelVersion ?? "",
      ...(options.isThing && { thing: JSON.parse(text) as unknown }),
    }
  }

  #configOf(options: ResponseOptions): GenerateContentConfig {
    const { maxTokens, stop } = options
    return {
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(stop !== undefined && { stopSequences: [stop] }),
      ...(this.#instructions !== undefined && { systemInstruction: this.#instructions }),
      ...(options.hasTools && {
        tools: [
          {
            functionDeclarations: TOOLS.map(({ parameters, ...tool }) => ({
              ...tool,
              parametersJsonSchema: parameters,
            })),
          },
        ],
      }),
      ...(options.thinks && {
        thinkingConfig: { thinkingLevel: ThinkingLevel.LOW, includeThoughts: true },
      }),
      ...(options.isThing && {
        responseMimeType: "application/json",
        responseJsonSchema: z.toJSONSchema(Thing),
      }),
    }
  }
}

function textOf(parts: readonly Part[], isThought: boolean): string {
  return parts
    .filter(({ thought = false }) => thought === isThought)
    .map(({ text = "" }) => text)
    .join("")
}

function imagePart(address: string): Part {
  const [, data] = address.split("base64,")
  return data === undefined
    ? { fileData: { fileUri: address, mimeType: "image/png" } }
    : { inlineData: { mimeType: "image/png", data } }
}

/** Returns the usage in this client's form. Thought tokens are separate from other output tokens. */
function usageOf(usage: GenerateContentResponseUsageMetadata = {}): ClientUsage {
  const reasoning = usage.thoughtsTokenCount ?? 0
  return {
    input: usage.promptTokenCount ?? 0,
    cached: usage.cachedContentTokenCount ?? 0,
    output: (usage.candidatesTokenCount ?? 0) + reasoning,
    reasoning,
  }
}
