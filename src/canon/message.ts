import type { DialectId, Extra } from "./extra.ts"
import type { WebSearchPart } from "./web-search.ts"

/** The source of the bytes of an image, audio clip or file. */
export type MediaSource =
  | { readonly type: "url"; readonly url: string; readonly extent?: MediaExtent }
  | {
      readonly type: "base64"
      readonly data: string
      readonly mediaType?: string
      readonly extent?: MediaExtent
      /** Bytes that it takes in the body of its request, if it is not base64 there. */
      readonly writtenBytes?: number
    }
  | { readonly type: "reference"; readonly id: string }

/** How much a document, audio or video is at most, measured from its bytes; absent if that is unknown. */
export interface MediaExtent {
  readonly pages?: number
  /** The text of all pages, or of a file without pages. Bytes of UTF-8. */
  readonly textBytes?: number
  readonly seconds?: number
  readonly hasVideo?: boolean
}

/** Asks the vendor to cache the prompt up to here. */
export interface CacheMarker {
  /** `5m`, `1h`; absent: the vendor's own time. */
  readonly ttl?: string
}

/** The source of a passage of an answer's text. */
export interface Citation {
  readonly url?: string
  readonly title?: string
  /** The quoted words of the source. */
  readonly quote?: string
  /** From here up to, not including, `end`: characters of the text part that rests on the source. */
  readonly start?: number
  readonly end?: number
  /** The gateway wrote it in the form of another vendor: it lacks the proof that the vendor requires. */
  readonly isForeign?: boolean
  readonly extra?: Extra
}

/** Text, with the sources that it rests on. */
export interface TextPart {
  readonly type: "text"
  readonly text: string
  readonly citations?: readonly Citation[]
  readonly cache?: CacheMarker
  /** A part that only one dialect has, which this text replaces in all others. */
  readonly standsFor?: Extra
  readonly extra?: Extra
}

/** The model's explanation why it refuses. */
export interface RefusalPart {
  readonly type: "refusal"
  readonly text: string
}

/** An image that the model is shown, or has made. */
export interface ImagePart {
  readonly type: "image"
  readonly source: MediaSource
  /** How closely the vendor should inspect the image; decides how many tokens it costs. */
  readonly detail?: string
  readonly cache?: CacheMarker
  /** A part that only one dialect has, which this image replaces in all others. */
  readonly standsFor?: Extra
  readonly extra?: Extra
}

/** Audio that the model is given, or has spoken. */
export interface AudioPart {
  readonly type: "audio"
  readonly source: MediaSource
  /** `wav`, `mp3` and so on. */
  readonly format?: string
  /** The spoken words, if the model reports them. */
  readonly transcript?: string
  readonly extra?: Extra
}

/** A file that the model is given. */
export interface FilePart {
  readonly type: "file"
  readonly source: MediaSource
  readonly name?: string
  readonly cache?: CacheMarker
  readonly extra?: Extra
}

/**
 * Reasoning text. A signature proves it to the vendor that wrote it and to no other; it may occur alone,
 * without text. A signature that a vendor puts on another part (Gemini on a call or a text) is a reasoning part
 * without text right before that part, or at the end when nothing follows.
 */
export interface ReasoningPart {
  readonly type: "reasoning"
  readonly text: string
  /** Opaque: a signature, or the whole reasoning encrypted. */
  readonly signature?: string
  /** The dialect whose vendors can read the signature; every other dialect leaves it out. */
  readonly signedBy?: DialectId
  /** The text is withheld: the signature contains it, and is all there is. */
  readonly isRedacted?: boolean
  /** The vendor's own id of this chunk, where it wants it back. */
  readonly id?: string
  readonly extra?: Extra
}

/**
 * How the caller declares a tool that is not a plain function: `text` takes text in place of arguments (a
 * custom tool); `legacy` is OpenAI's older form of functions, whose calls have no ids.
 */
export interface CallOrigin {
  readonly form: "function" | "text" | "legacy"
  /** The caller's own name, in its namespace if there is one. */
  readonly name: string
  readonly namespace?: string
}

/** A call of a tool by the model. */
export interface ToolCallPart {
  readonly type: "tool-call"
  readonly id: string
  readonly name: string
  /**
   * JSON text, as the model wrote it; `{}` for a tool without arguments. Text for a tool is its one member
   * `input`.
   */
  readonly arguments: string
  readonly origin?: CallOrigin
  readonly cache?: CacheMarker
  readonly extra?: Extra
}

/** What a tool returned. */
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

/** A part that only its own dialect understands, preserved unchanged for it. */
export interface UnknownPart {
  readonly type: "unknown"
  readonly extra: Extra
}

/** One piece of content of a turn. */
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

/** The author of a turn. */
export type Role = "system" | "developer" | "user" | "assistant" | "tool"

/**
 * One turn. Tool results are in messages of the role `tool`, one or several in each, which contain nothing
 * else. Instructions (`system`, `developer`) may be anywhere.
 */
export interface Message {
  readonly role: Role
  readonly parts: readonly Part[]
  readonly name?: string
  readonly extra?: Extra
}
