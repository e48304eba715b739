import type { ToolCall } from "./response.ts"
import { t } from "../../languages/text.ts"

/** An image attached to a question, as a data URL. */
export interface AttachedImage {
  readonly name: string
  readonly url: string
}

/** A column of the playground, with one of the models that respond side by side. */
export interface Column {
  readonly id: number
  /** The model's id; null means the suggested model. */
  readonly model: string | null
}

/** A question by the user. */
export interface Question {
  readonly text: string
  readonly images: readonly AttachedImage[]
}

/** Settings that apply to all requests in a conversation. Null means the model's default. */
export interface ChatSettings {
  readonly system: string
  readonly temperature: number | null
  readonly topP: number | null
  readonly maxTokens: number | null
  readonly effort: string | null
  readonly stop: readonly string[]
  /** The functions that the model may call, as a JSON array. */
  readonly tools: string
  /** Additional fields of the body as JSON text, such as `seed`. */
  readonly extra: string
}

export const DEFAULT_SETTINGS: ChatSettings = {
  system: "",
  temperature: null,
  topP: null,
  maxTokens: null,
  effort: null,
  stop: [],
  tools: "",
  extra: "",
}

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue }
export type JsonObject = { readonly [name: string]: JsonValue }

/** One response of a model: text, or tool calls with the results that the user entered. */
export interface Step {
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  /** Results in the order of the calls; empty if there are no results. */
  readonly results: readonly string[]
}

/** A question and a model's responses to it. */
export interface Turn {
  readonly question: Question
  readonly steps: readonly Step[]
}

/**
 * Builds the body of `POST /v1/chat/completions`. The last turn is the current question. Earlier
 * turns without a response are omitted, because vendors reject two consecutive questions.
 * @throws Error if the tools or the additional fields are not valid JSON.
 */
export function chatBody(
  model: string,
  settings: ChatSettings,
  turns: readonly Turn[],
): JsonObject {
  const messages: JsonValue[] = []
  if (settings.system.trim() !== "") messages.push({ role: "system", content: settings.system })
  for (const turn of turns) {
    const responses = turn.steps.flatMap(stepMessages)
    if (responses.length === 0 && turn !== turns.at(-1)) continue
    messages.push(...userMessages(turn.question), ...responses)
  }
  const tools = readTools(settings.tools)
  return {
    model,
    messages,
    ...(tools.length > 0 && { tools }),
    ...(settings.temperature !== null && { temperature: settings.temperature }),
    ...(settings.topP !== null && { top_p: settings.topP }),
    ...(settings.maxTokens !== null && { max_tokens: settings.maxTokens }),
    ...(settings.effort !== null && { reasoning_effort: settings.effort }),
    ...(settings.stop.length > 0 && { stop: [...settings.stop] }),
    ...extraFields(settings.extra),
    stream: true,
    stream_options: { include_usage: true },
  }
}

/** Calls without results are omitted, because vendors reject a call that is not followed by a result. */
function stepMessages({ text, toolCalls, results }: Step): JsonObject[] {
  if (toolCalls.length === 0 || results.length < toolCalls.length) {
    return text === "" ? [] : [{ role: "assistant", content: text }]
  }
  return [
    {
      role: "assistant",
      content: text === "" ? null : text,
      tool_calls: toolCalls.map(({ id, name, arguments: given }) => {
        return { id, type: "function", function: { name, arguments: given } }
      }),
    },
    ...toolCalls.map(({ id }, index) => {
      return { role: "tool", tool_call_id: id, content: results[index] ?? "" }
    }),
  ]
}

/** Returns the user's message; empty if the conversation starts with a model's message. */
function userMessages({ text, images }: Question): JsonObject[] {
  if (images.length === 0) return text === "" ? [] : [{ role: "user", content: text }]
  const shown = images.map(({ url }) => ({ type: "image_url", image_url: { url } }))
  return [{ role: "user", content: [...shown, ...(text === "" ? [] : [{ type: "text", text }])] }]
}

/** Returns the error of the additional fields; undefined if the fields are valid. */
export function extraFault(text: string): string | undefined {
  return faultOf(() => extraFields(text))
}

function extraFields(text: string): JsonObject {
  const value = readJson(
    text,
    {},
    t('This is not valid JSON. Enter an object, such as { "seed": 1 }.'),
  )
  if (!isObject(value)) throw new Error(t('This must be an object, such as { "seed": 1 }.'))
  return value
}

/** Returns the error of the tools; undefined if they are valid. */
export function toolsFault(text: string): string | undefined {
  return faultOf(() => readTools(text))
}

/** Parses tools. Also accepts functions without the surrounding tool object, as documentation often shows them. */
function readTools(text: string): JsonValue[] {
  const value = readJson(
    text,
    [],
    t(
      'This is not valid JSON. Enter an array, such as [{ "name": "get_time", "parameters": { "type": "object" } }].',
    ),
  )
  if (!Array.isArray(value) || !value.every(isObject)) {
    throw new Error(
      t(
        'This must be an array, such as [{ "name": "get_time", "parameters": { "type": "object" } }].',
      ),
    )
  }
  return value.map((tool) => ("type" in tool ? tool : { type: "function", function: tool }))
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function faultOf(read: () => unknown): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function readJson(text: string, empty: unknown, fault: string): unknown {
  if (text.trim() === "") return empty
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(fault)
  }
}
