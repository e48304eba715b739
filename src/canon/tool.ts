import type { JsonObject, JsonValue } from "./json.ts"
import type { Extra } from "./extra.ts"
import type { CacheMarker, CallOrigin } from "./message.ts"

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

/** Whether tools are to be called, and which one. */
export type ToolChoice =
  | { readonly type: "auto" | "none" | "required" }
  | { readonly type: "tool"; readonly name: string }

/** A choice among some of the tools; the others are there for the cache of the prompt alone. */
export interface AllowedTools {
  readonly mode: "auto" | "required"
  /** Names of the request's tools. */
  readonly names: readonly string[]
}

/** Tools that stand in a conversation, and not in the list of its request. */
export interface BroughtTools {
  /** Together with those of the list, no two of one name. */
  readonly all: readonly Tool[]
  /** Tools that a vendor runs itself, and unknown kinds. */
  readonly others: readonly JsonValue[]
  /** The kind of part that says nothing else, by the name that it has in its own dialect. */
  readonly item: string
}
