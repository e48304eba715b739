import type { JsonObject } from "./json.ts"

/** One message, whatever the wire format called it. */
export interface PromptMessage {
  readonly role: "system" | "user" | "assistant" | "tool"
  /** Text parts and descriptions of the other parts, joined by line ends. */
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
  /** JSON schema of the arguments. */
  readonly schema: JsonObject
}

/** Which tools must, may or must not be called. */
export type ToolChoice =
  | { readonly kind: "auto" | "none" | "required" }
  | { readonly kind: "named"; readonly name: string }

/** What the answer's text must look like. */
export type AnswerShape =
  | { readonly kind: "text" | "object" }
  | { readonly kind: "schema"; readonly schema: JsonObject }

/** A request in terms that every wire format shares. */
export interface Prompt {
  readonly messages: readonly PromptMessage[]
  /** What the answer says: the last user message's text unless a fault decides otherwise. */
  readonly echo: string
  readonly tools: readonly OfferedTool[]
  /** Tokens that the tools' definitions take in the prompt. */
  readonly toolTokens: number
  readonly toolChoice: ToolChoice
  readonly parallelTools: boolean
  readonly shape: AnswerShape
  /** The most tokens of one choice, reasoning included. */
  readonly limit: number
  readonly stop: readonly string[]
  /** Number of choices. */
  readonly count: number
  /** Tokens that one choice spends on reasoning before it answers. */
  readonly reasoningTokens: number
}

/** The text that an echo answers: the last user message's, else the last message's. */
export function lastUserText(messages: readonly PromptMessage[]): string {
  const message = messages.findLast((message) => message.role === "user") ?? messages.at(-1)
  return message?.text ?? ""
}
