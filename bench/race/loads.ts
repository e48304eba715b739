import {
  RESPONSE_TOKENS,
  chatBody,
  embeddingsBody,
  longChatBody,
  messagesBody,
  STREAM_TOKENS,
} from "../load/request.ts"
import type { Address } from "../subjects/subject.ts"
import type { ScenarioName } from "./plan.ts"

/** The scenarios in which processor time per response or frame is measured. */
export type LoadName = Extract<
  ScenarioName,
  "chat" | "chat-alone" | "prompt" | "streams" | "anthropic" | "embeddings"
>

/** The request that callers repeat in a scenario. */
export interface Load {
  readonly callers: number
  readonly unit: "responses" | "frames"
  /** Headers in addition to those that the gateway needs. */
  readonly headers?: Readonly<Record<string, string>>
  path(address: Address): string
  body(address: Address): string
}

/** The path of messages in Anthropic's API. */
export const MESSAGES_PATH = "/v1/messages"
/** The path of embeddings, which is the same for all subjects. */
const EMBEDDINGS_PATH = "/v1/embeddings"

const chat: Load = {
  callers: 32,
  unit: "responses",
  path: ({ path }) => path,
  body: ({ model }) => chatBody(model("echo"), RESPONSE_TOKENS, false),
}

const streams: Load = {
  callers: 200,
  unit: "frames",
  path: ({ path }) => path,
  body: ({ model }) => chatBody(model("echo"), STREAM_TOKENS, true),
}

/** The loads of all scenarios. */
export const LOADS: Readonly<Record<LoadName, Load>> = {
  chat,
  "chat-alone": { ...chat, callers: 1 },
  prompt: { ...chat, body: ({ model }) => longChatBody(model("echo"), RESPONSE_TOKENS) },
  streams,
  anthropic: {
    ...streams,
    headers: { "anthropic-version": "2023-06-01" },
    path: ({ messagesPath }) => messagesPath ?? MESSAGES_PATH,
    body: ({ model }) => messagesBody(model("echo"), STREAM_TOKENS),
  },
  embeddings: {
    callers: 8,
    unit: "responses",
    path: () => EMBEDDINGS_PATH,
    body: ({ model }) => embeddingsBody(model("embed")),
  },
}

/**
 * Returns the load of the bare proxy in a scenario. The bare proxy supports only one dialect, so it forwards the same
 * stream in that dialect.
 */
export function yardstickOf(name: LoadName): Load {
  return name === "anthropic" ? streams : LOADS[name]
}
