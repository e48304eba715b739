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
  type Answer,
  type ClientUsage,
  type Conversation,
  PIECES_READ,
  type Said,
  type TestedClient,
  Thing,
  TOOLS,
  type Wish,
} from "./conversation.ts"
import type { SixUpstreams } from "./six-upstreams.ts"

/** npm @google/genai. */
export const GOOGLE_CLIENT: TestedClient = {
  name: "google",
  finishes: { stop: "STOP", length: "MAX_TOKENS", calls: "STOP", stopString: "STOP" },
  hasStop: true,
  marksCache: false,
  asksForSchema: true,
  showsThoughts: true,
  // In its own dialect what it writes goes up as it is.
  picturesByUrl: { gemini: "[image url]" },
  returnsSignatures: () => true,
  begin: (upstreams) => new ContentsConversation(googleOf(upstreams)),
  async leave(upstreams, model, text) {
    const left = new AbortController()
    const config = { abortSignal: left.signal }
    const order = { model, contents: text, config }
    const stream = await googleOf(upstreams).models.generateContentStream(order)
    let pieces = 0
    for await (const _ of stream) if (++pieces === PIECES_READ) break
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
    // The client keeps the words of the answer as they came, in its message.
    const body = JSON.parse(error.message) as { error: { status: string } }
    return { status: error.status, word: body.error.status }
  },
}

/** The official client of the gateway before six upstreams. */
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

  say(model: string, { text, image, instructions }: Said, wish: Wish): Promise<Answer> {
    this.#instructions = instructions
    const parts: Part[] = image === undefined ? [{ text }] : [{ text }, picturePart(image)]
    this.#contents.push({ role: "user", parts })
    return this.#ask(model, wish)
  }

  answerCalls(model: string, results: readonly string[], wish: Wish): Promise<Answer> {
    const parts = this.#calls.map(({ id = "", name = "" }, index) => ({
      functionResponse: { id, name, response: { output: results[index] ?? "" } },
    }))
    this.#contents.push({ role: "user", parts })
    return this.#ask(model, wish)
  }

  async #ask(model: string, wish: Wish): Promise<Answer> {
    const { models } = this.#client
    const order = { model, contents: this.#contents, config: this.#configOf(wish) }
    const pieces: GenerateContentResponse[] = []
    if (wish.isStreamed) {
      for await (const piece of await models.generateContentStream(order)) pieces.push(piece)
    } else pieces.push(await models.generateContent(order))
    const parts = pieces.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
    this.#contents.push({ role: "model", parts })
    this.#calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
    const last = pieces.at(-1)
    const text = textOf(parts, false)
    return {
      text,
      thoughts: textOf(parts, true),
      calls: this.#calls.map(({ name = "", args }) => ({ name, input: args })),
      finish: last?.candidates?.[0]?.finishReason ?? "",
      usage: usageOf(last?.usageMetadata),
      model: last?.modelVersion ?? "",
      ...(wish.isThing && { thing: JSON.parse(text) as unknown }),
    }
  }

  #configOf(wish: Wish): GenerateContentConfig {
    const { maxTokens, stop } = wish
    return {
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(stop !== undefined && { stopSequences: [stop] }),
      ...(this.#instructions !== undefined && { systemInstruction: this.#instructions }),
      ...(wish.hasTools && {
        tools: [
          {
            functionDeclarations: TOOLS.map(({ parameters, ...tool }) => ({
              ...tool,
              parametersJsonSchema: parameters,
            })),
          },
        ],
      }),
      ...(wish.thinks && {
        thinkingConfig: { thinkingLevel: ThinkingLevel.LOW, includeThoughts: true },
      }),
      ...(wish.isThing && {
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

function picturePart(address: string): Part {
  const [, data] = address.split("base64,")
  return data === undefined
    ? { fileData: { fileUri: address, mimeType: "image/png" } }
    : { inlineData: { mimeType: "image/png", data } }
}

/** Usage as this client tells it: thoughts stand beside the rest of the output. */
function usageOf(usage: GenerateContentResponseUsageMetadata = {}): ClientUsage {
  const reasoning = usage.thoughtsTokenCount ?? 0
  return {
    input: usage.promptTokenCount ?? 0,
    cached: usage.cachedContentTokenCount ?? 0,
    output: (usage.candidatesTokenCount ?? 0) + reasoning,
    reasoning,
  }
}
