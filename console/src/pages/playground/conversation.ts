/** An image that goes along with a question, as a data URL. */
export interface Picture {
  readonly name: string
  readonly url: string
}

/** What the person asks. */
export interface Question {
  readonly text: string
  readonly images: readonly Picture[]
}

/** What applies to every request of a conversation. Null: the model's own. */
export interface ChatSettings {
  readonly system: string
  readonly temperature: number | null
  readonly topP: number | null
  readonly maxTokens: number | null
  readonly effort: string | null
  readonly stop: readonly string[]
  /** Further members of the body, as JSON text: tools, response_format. */
  readonly extra: string
}

export const DEFAULT_SETTINGS: ChatSettings = {
  system: "",
  temperature: null,
  topP: null,
  maxTokens: null,
  effort: null,
  stop: [],
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

/** One turn that is over: a question, and the text that a model answered. */
export interface Turn {
  readonly question: Question
  readonly answer: string
}

/**
 * The body of `POST /v1/chat/completions`. Turns without an answer are left out, since a vendor refuses
 * two questions in a row.
 * @throws Error when the further fields are no JSON object.
 */
export function chatBody(
  model: string,
  settings: ChatSettings,
  turns: readonly Turn[],
  question: Question,
): JsonObject {
  const messages: JsonValue[] = []
  if (settings.system.trim() !== "") messages.push({ role: "system", content: settings.system })
  for (const turn of turns) {
    if (turn.answer === "") continue
    messages.push(userMessage(turn.question), { role: "assistant", content: turn.answer })
  }
  messages.push(userMessage(question))
  return {
    model,
    messages,
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

function userMessage({ text, images }: Question): JsonObject {
  if (images.length === 0) return { role: "user", content: text }
  const shown = images.map(({ url }) => ({ type: "image_url", image_url: { url } }))
  return { role: "user", content: [...shown, ...(text === "" ? [] : [{ type: "text", text }])] }
}

/** The error of the extra fields, shown next to them; undefined when there is none. */
export function extraFault(text: string): string | undefined {
  try {
    extraFields(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function extraFields(text: string): JsonObject {
  if (text.trim() === "") return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('This is not valid JSON. Enter an object, such as { "seed": 1 }.')
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error('This must be a JSON object, such as { "seed": 1 }.')
  }
  return value as JsonObject
}
