import type { JsonObject } from "./json.ts"

/** One message, in any wire format. */
export interface PromptMessage {
  readonly role: "system" | "user" | "assistant" | "tool"
  /** The text parts and descriptions of the other parts, joined by line breaks. */
  readonly text: string
  /** Tokens of the text parts, names and tool calls. */
  readonly textTokens: number
  /** Tokens of images and files. */
  readonly mediaTokens: number
  readonly audioTokens: number
}

/** A tool that the caller offers. */
export interface OfferedTool {
  readonly name: string
  /** JSON schema of the tool's arguments. */
  readonly schema: JsonObject
}

/** The tools that the model must call, may call or must not call. */
export type ToolChoice =
  | { readonly kind: "auto" | "none" | "required" }
  | { readonly kind: "named"; readonly name: string }

/** The required form of the response's text. */
export type ResponseShape =
  | { readonly kind: "text" | "object" }
  | { readonly kind: "schema"; readonly schema: JsonObject }

/** A request in terms that every wire format shares. */
export interface Prompt {
  readonly messages: readonly PromptMessage[]
  /** The text of the response. It is the text of the last user message, unless a fault changes it. */
  readonly echo: string
  readonly tools: readonly OfferedTool[]
  /** Tokens of the tools' definitions in the prompt. */
  readonly toolTokens: number
  readonly toolChoice: ToolChoice
  readonly parallelTools: boolean
  readonly shape: ResponseShape
  /** Maximum number of tokens of one choice, including reasoning. */
  readonly limit: number
  readonly stop: readonly string[]
  /** Number of choices. */
  readonly count: number
  /** Tokens that one choice spends on reasoning before it answers. */
  readonly reasoningTokens: number
}

/**
 * Returns the text that the response repeats: the last user message, or the last message if there is no user message.
 */
export function lastUserText(messages: readonly PromptMessage[]): string {
  const message = messages.findLast((message) => message.role === "user") ?? messages.at(-1)
  return message?.text ?? ""
}
