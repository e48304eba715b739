import type { JsonObject, JsonValue } from "./json.ts"
import type { Extra } from "./extra.ts"
import type { CacheMarker, CallOrigin } from "./message.ts"

/** The declaration of a tool that is not a plain function. */
export interface ToolOrigin extends CallOrigin {
  readonly description?: string
  /** The grammar of the input text, in OpenAI's form `{type: "grammar", syntax, definition}`. */
  readonly format?: JsonObject
  readonly namespaceDescription?: string
}

/**
 * A function that the model may call. If it has an `origin`, it replaces the caller's declaration in dialects that only
 * have functions.
 */
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

/** Whether the model may or must call tools, or the tool that it must call. */
export type ToolChoice =
  | { readonly type: "auto" | "none" | "required" }
  | { readonly type: "tool"; readonly name: string }

/** A choice among some of the tools. The other tools are listed only to keep the prompt cache valid. */
export interface AllowedTools {
  readonly mode: "auto" | "required"
  /** Names of allowed tools. Each is a tool of the request. */
  readonly names: readonly string[]
}

/** Tools that are part of a conversation instead of the request's list of tools. */
export interface AddedTools {
  /** All tools, including the tools in the request's list, without duplicate names. */
  readonly all: readonly Tool[]
  /** Tools that a vendor runs itself, and tools of unknown kinds. */
  readonly others: readonly JsonValue[]
  /** The type of the message part that contains only tools, as its own dialect names it. */
  readonly item: string
}
