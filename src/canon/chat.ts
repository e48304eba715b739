import type { JsonObject, JsonValue } from "./json.ts"
import type { Usage } from "./usage.ts"

/** The chat wire formats. */
export type DialectId =
  | "openai-chat"
  | "openai-responses"
  | "anthropic-messages"
  | "gemini"
  | "bedrock-converse"
  | "cohere-chat"

/** Fields that only one dialect knows. They go back to that dialect and to no other. */
export interface Extra {
  readonly dialect: DialectId
  readonly fields: JsonObject
}

/** A field that could not be carried to the other dialect: always reported, never silent. */
export interface Loss {
  readonly name: string
  /** `emulated`: the vendor has no such thing, and something else of its was made to serve. */
  readonly effect: "dropped" | "approximated" | "emulated"
}

/** Where the bytes of a picture, sound or file are. */
export type MediaSource =
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "base64"; readonly data: string; readonly mediaType?: string }
  | { readonly type: "reference"; readonly id: string }

/** Asks the vendor to keep the prompt up to here for a while. */
export interface CacheMarker {
  /** `5m`, `1h`; absent: the vendor's own time. */
  readonly ttl?: string
}

/** Where a piece of an answer's text comes from. */
export interface Citation {
  readonly url?: string
  readonly title?: string
  /** The words of the source. */
  readonly quote?: string
  /** From here up to, not including, `end`: characters of the text part that rests on the source. */
  readonly start?: number
  readonly end?: number
  /** The gateway told it in the words of a vendor that did not: it lacks the proof that the vendor asks for. */
  readonly isForeign?: boolean
  readonly extra?: Extra
}

export interface TextPart {
  readonly type: "text"
  readonly text: string
  readonly citations?: readonly Citation[]
  readonly cache?: CacheMarker
  readonly extra?: Extra
}

export interface RefusalPart {
  readonly type: "refusal"
  readonly text: string
}

export interface ImagePart {
  readonly type: "image"
  readonly source: MediaSource
  /** How closely the vendor should look; decides how many tokens the picture costs. */
  readonly detail?: string
  readonly cache?: CacheMarker
  readonly extra?: Extra
}

export interface AudioPart {
  readonly type: "audio"
  readonly source: MediaSource
  /** `wav`, `mp3` and so on. */
  readonly format?: string
  readonly extra?: Extra
}

export interface FilePart {
  readonly type: "file"
  readonly source: MediaSource
  readonly name?: string
  readonly cache?: CacheMarker
  readonly extra?: Extra
}

/**
 * Reasoning text. A signature proves it to the vendor that wrote it and to no other; it may stand
 * alone, without text. A signature that a vendor puts on another part (Gemini on a call or a text)
 * is a reasoning part without text right before that part, or at the end when nothing follows.
 */
export interface ReasoningPart {
  readonly type: "reasoning"
  readonly text: string
  /** Opaque: a signature, or the whole reasoning encrypted. */
  readonly signature?: string
  /** The dialect whose vendors can read the signature; every other dialect leaves it out. */
  readonly signedBy?: DialectId
  /** The text is withheld: the signature holds it, and is all there is. */
  readonly isRedacted?: boolean
  /** The vendor's own id of this piece, where it wants it back. */
  readonly id?: string
  readonly extra?: Extra
}

/**
 * How the caller has what is no plain function: `text` takes text in place of arguments (a custom tool);
 * `legacy` is OpenAI's older form of functions, whose calls have no ids.
 */
export interface CallOrigin {
  readonly form: "function" | "text" | "legacy"
  /** The caller's own name, in its namespace if there is one. */
  readonly name: string
  readonly namespace?: string
}

export interface ToolCallPart {
  readonly type: "tool-call"
  readonly id: string
  readonly name: string
  /**
   * JSON text, as the model wrote it; `{}` for a tool without arguments. Text for a tool stands in it as
   * the one member `input`.
   */
  readonly arguments: string
  readonly origin?: CallOrigin
  readonly cache?: CacheMarker
  readonly extra?: Extra
}

export interface ToolResultPart {
  readonly type: "tool-result"
  /** The id of the call that this answers. */
  readonly id: string
  readonly content: readonly (TextPart | ImagePart | AudioPart | FilePart)[]
  readonly failed?: boolean
  readonly origin?: CallOrigin
  readonly cache?: CacheMarker
  readonly extra?: Extra
}

/** A page that a search of the web found. */
export interface FoundPage {
  readonly url: string
  readonly title?: string
  /** How old it is, in the vendor's words. */
  readonly age?: string
}

/**
 * A search of the web that a vendor ran: what callers of other dialects are told of it. The vendor's own dialect
 * has all of it among the answer's extras. In a history it is one that the gateway told, which no vendor knows.
 */
export interface WebSearchPart {
  readonly type: "web-search"
  readonly queries: readonly string[]
  readonly pages: readonly FoundPage[]
  /** As how many searches its vendor counts it. */
  readonly uses: number
  readonly failed?: boolean
  /** The dialect in which the vendor told it. */
  readonly toldIn: DialectId
}

/** A part that only its own dialect understands, kept whole for it. */
export interface UnknownPart {
  readonly type: "unknown"
  readonly extra: Extra
}

export type Part =
  | TextPart
  | RefusalPart
  | ImagePart
  | AudioPart
  | FilePart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | WebSearchPart
  | UnknownPart

export type Role = "system" | "developer" | "user" | "assistant" | "tool"

/**
 * One turn. Tool results stand in messages of the role `tool`, one or several in each; nothing else
 * does. Instructions (`system`, `developer`) may stand anywhere.
 */
export interface Message {
  readonly role: Role
  readonly parts: readonly Part[]
  readonly name?: string
  readonly extra?: Extra
}

/** How a tool was declared that is no plain function. */
export interface ToolOrigin extends CallOrigin {
  readonly description?: string
  /** What the text has to follow: OpenAI's `{type: "grammar", syntax, definition}`. */
  readonly format?: JsonObject
  readonly namespaceDescription?: string
}

/** A function. One with an origin stands for what the caller declared, for dialects that have only functions. */
export interface Tool {
  readonly name: string
  readonly description?: string
  /** JSON schema of the arguments. */
  readonly parameters?: JsonObject
  readonly strict?: boolean
  readonly origin?: ToolOrigin
  readonly cache?: CacheMarker
  readonly extra?: Extra
}

export type ToolChoice =
  | { readonly type: "auto" | "none" | "required" }
  | { readonly type: "tool"; readonly name: string }

/** Where the user is, roughly: as OpenAI and Anthropic both have it. */
export interface SearchLocation {
  readonly city?: string
  readonly region?: string
  /** Two letters of ISO 3166-1. */
  readonly country?: string
  /** IANA. */
  readonly timezone?: string
}

/** A search of the web that the vendor runs itself, whoever the vendor is. */
export interface WebSearch {
  readonly maxUses?: number
  /** How much of what is found the model reads: `low`, `medium`, `high`. */
  readonly contextSize?: string
  readonly location?: SearchLocation
  readonly allowedDomains?: readonly string[]
  readonly blockedDomains?: readonly string[]
  /** What only the caller's dialect can say of it. */
  readonly extra?: Extra
  readonly declared: DeclaredSearch
}

/** How the caller asked for it: its own dialect keeps that among its extras. */
export interface DeclaredSearch {
  readonly dialect: DialectId
  /** `tools[1]`, as messages name it. */
  readonly place: string
  /** The very object among the extra `tools`. */
  readonly tool?: JsonValue
  /** Names of the extras that say it. */
  readonly fields: readonly string[]
}

/** A choice among some of the tools; the others are there for the cache of the prompt alone. */
export interface AllowedTools {
  readonly mode: "auto" | "required"
  /** Names of the request's tools. */
  readonly names: readonly string[]
}

export type ResponseFormat =
  | { readonly type: "text" | "json-object" }
  | {
      readonly type: "json-schema"
      readonly name: string
      readonly schema?: JsonObject
      readonly description?: string
      readonly strict?: boolean
    }

/** How much a model is to think before it answers, in the caller's own terms. */
export interface ReasoningOrder {
  /** `none`, `minimal`, `low`, `medium`, `high` and whatever a vendor adds. */
  readonly effort?: string
  /** Tokens of reasoning at most; 0 asks for none. */
  readonly budget?: number
  /** The model decides how much. */
  readonly isAdaptive?: boolean
  /** How much of it the caller wants to read: `auto`, `concise`, `detailed`, `none`. */
  readonly summary?: string
}

/** Tools that stand in a conversation, and not in the list of its request. */
export interface BroughtTools {
  /** Together with those of the list, no two of one name. */
  readonly all: readonly Tool[]
  /** Tools that a vendor runs itself, and kinds that nobody knows. */
  readonly others: readonly JsonValue[]
  /** The kind of part that says nothing else, by the name that it has in its own dialect. */
  readonly item: string
}

/** One chat request, in nobody's dialect. Absent means the caller did not say. */
export interface ChatRequest {
  /** The public id `<provider>/<model_name>`. */
  readonly model: string
  readonly messages: readonly Message[]
  readonly stream: boolean
  /** Whether the caller asked for usage in the stream. */
  readonly streamUsage: boolean
  readonly maxTokens?: number
  /** How many choices; each one is billed. */
  readonly choices: number
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly stop?: readonly string[]
  readonly seed?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly logprobs?: boolean
  readonly topLogprobs?: number
  readonly tools?: readonly Tool[]
  /** What the conversation itself brings beside `tools`. Its own dialect keeps it in its messages. */
  readonly broughtTools?: BroughtTools
  readonly toolChoice?: ToolChoice
  /** In place of a choice. Its own dialect keeps it among its extras as `tool_choice`. */
  readonly allowedTools?: AllowedTools
  /** A search that the vendor runs. Its own dialect keeps it among its extras too. */
  readonly webSearch?: WebSearch
  readonly parallelToolCalls?: boolean
  readonly responseFormat?: ResponseFormat
  readonly reasoning?: ReasoningOrder
  /** `low`, `medium`, `high`: how many words the caller likes. */
  readonly verbosity?: string
  /** Whom the caller serves; an opaque name for the vendor's abuse watch. */
  readonly user?: string
  readonly safetyIdentifier?: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly serviceTier?: string
  readonly promptCacheKey?: string
  /** The id of an earlier answer that the vendor keeps and that this request continues. */
  readonly previousResponse?: string
  /** The vendor is to keep the conversation, so that later requests can go on from it (Anthropic's threads). */
  readonly isThread?: boolean
  /** The id of an earlier answer whose items the gateway has put into `messages`. */
  readonly continued?: string
  /** Whether the gateway keeps the answer. */
  readonly isKept?: boolean
  readonly extra?: Extra
}

/** Why a choice ended. WIRE.md section 7 maps it to each dialect. */
export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter" | "other"

/** One unit of a streamed answer. */
export type ChatEvent =
  | {
      readonly type: "start"
      readonly id?: string
      readonly model?: string
      readonly created?: number
      readonly extra?: Extra
    }
  | { readonly type: "text-delta"; readonly choice: number; readonly text: string }
  | { readonly type: "refusal-delta"; readonly choice: number; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly choice: number; readonly text: string }
  | {
      /** Ends a piece of reasoning: what follows is another. */
      readonly type: "reasoning-signature"
      readonly choice: number
      readonly signature: string
      readonly signedBy: DialectId
      readonly isRedacted?: boolean
      readonly id?: string
    }
  /** Belongs to the text before it. */
  | { readonly type: "citation"; readonly choice: number; readonly citation: Citation }
  | {
      readonly type: "tool-call-start"
      readonly choice: number
      readonly call: number
      readonly id: string
      readonly name: string
      /** Known where the vendor has such tools itself; else the request says what the name stands for. */
      readonly origin?: CallOrigin
    }
  | {
      readonly type: "tool-call-delta"
      readonly choice: number
      readonly call: number
      readonly arguments: string
    }
  /** Behind the extra in which the vendor's own dialect has it. */
  | { readonly type: "web-search"; readonly choice: number; readonly search: WebSearchPart }
  | { readonly type: "choice-extra"; readonly choice: number; readonly extra: Extra }
  | {
      readonly type: "finish"
      readonly choice: number
      readonly reason: FinishReason
      /** The vendor's own word, when it says more than `reason`. */
      readonly rawReason?: string
      /** The stop string that ended the choice, where the vendor tells. */
      readonly stopSequence?: string
    }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "error"; readonly message: string; readonly code?: string }

/** One choice of a whole answer. */
export interface Choice {
  readonly index: number
  readonly parts: readonly Part[]
  readonly finish: FinishReason
  readonly rawFinish?: string
  readonly stopSequence?: string
  readonly extra?: Extra
}

/** A whole answer: what a stream of events folds to. */
export interface ChatResult {
  readonly id?: string
  readonly model?: string
  readonly created?: number
  readonly choices: readonly Choice[]
  /** Absent when the vendor reported none. */
  readonly usage?: Usage
  readonly extra?: Extra
}

/** A closed set must be handled whole: the compiler refuses a missing case here. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value as JsonValue)}`)
}
