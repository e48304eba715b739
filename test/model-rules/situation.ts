import { chat, gemini, messages, responses } from "./bodies.ts"

/** One turn of a conversation. */
export interface Turn {
  readonly role: "system" | "user" | "assistant"
  readonly text?: string
  /** The number of images that precede the text. */
  readonly images?: number
  /** Whether the turn is marked for caching. */
  readonly isMarked?: true
  /** The id of a call to the tool `look` that the assistant makes. */
  readonly call?: string
  /** The id of the call whose result the user's turn contains before its text. */
  readonly result?: string
}

export interface OfferedTool {
  readonly name: string
  readonly isStrict?: true
  readonly parameters?: object
}

/** The meaning of a request, independent of its format. Each format expresses it in its own way. */
export interface Situation {
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly logprobs?: true
  readonly seed?: number
  readonly stop?: readonly string[]
  readonly choices?: number
  readonly effort?: string
  /** Maximum number of reasoning tokens. */
  readonly budget?: number
  readonly user?: string
  readonly safetyIdentifier?: string
  readonly cacheKey?: string
  readonly verbosity?: string
  readonly tools?: readonly OfferedTool[]
  readonly choice?: "required" | "none"
  readonly schema?: object
  readonly isJson?: true
  readonly turns?: readonly Turn[]
}

export const FORMATS = ["chat", "responses", "messages", "gemini"] as const
export type Format = (typeof FORMATS)[number]

/** For each vendor, the formats that the vendor defined. Requests in these formats are passed on unchanged. */
export const OWN_FORMATS: Readonly<Record<string, readonly Format[] | undefined>> = {
  openai: ["chat", "responses"],
  azure: ["chat", "responses"],
  anthropic: ["messages"],
  google: ["gemini"],
  vertex: ["gemini"],
}

export interface WrittenRequest {
  readonly path: string
  readonly body: object
}

/** The features that each format cannot express. */
const LACKS: Readonly<Record<Format, readonly (keyof Situation)[]>> = {
  chat: ["topK", "budget"],
  responses: ["topK", "budget", "presencePenalty", "frequencyPenalty", "seed", "stop", "choices"],
  messages: [
    "presencePenalty",
    "frequencyPenalty",
    "logprobs",
    "seed",
    "choices",
    "safetyIdentifier",
    "cacheKey",
    "verbosity",
    "isJson",
  ],
  gemini: ["user", "safetyIdentifier", "cacheKey", "verbosity"],
}

const HELLO: readonly Turn[] = [{ role: "user", text: "Hello" }]

/** Returns the formats that can express a situation. */
export function expressible(situation: Situation): readonly Format[] {
  return FORMATS.filter((format) => written(format, "m", situation, false) !== undefined)
}

/**
 * Returns the body of a request.
 * @returns undefined if the format cannot express the situation.
 */
export function written(
  format: Format,
  model: string,
  situation: Situation,
  stream: boolean,
): WrittenRequest | undefined {
  if (LACKS[format].some((name) => situation[name] !== undefined)) return undefined
  const turns = situation.turns ?? HELLO
  const has = (holds: (turn: Turn) => boolean): boolean => turns.some((turn) => holds(turn))
  const isStrict = situation.tools?.some((tool) => tool.isStrict) === true
  const isMarked = has((turn) => turn.isMarked === true)
  if (format === "gemini" && (isStrict || isMarked)) return undefined
  if (format === "responses" && isMarked) return undefined
  const asked = { ...situation, turns }
  switch (format) {
    case "chat":
      return { path: "/v1/chat/completions", body: { model, stream, ...chat(asked) } }
    case "responses":
      return { path: "/v1/responses", body: { model, stream, ...responses(asked) } }
    case "messages":
      return {
        path: "/v1/messages",
        body: { model, stream, max_tokens: (situation.budget ?? 0) + 900, ...messages(asked) },
      }
    case "gemini": {
      const method = stream ? "streamGenerateContent?alt=sse" : "generateContent"
      return { path: `/v1beta/models/${model}:${method}`, body: gemini(asked) }
    }
  }
}
