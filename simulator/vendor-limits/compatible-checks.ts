import { type JsonObject, objectOf, stringOf } from "../json.ts"
import { formatOf, hasJsonWord, hasTools, isToolForced } from "./chat-parts.ts"
import { type Check, type Limit, rejects, valueAt } from "./limit.ts"

/** A limit of a vendor with one of OpenAI's formats. */
export type Row = Omit<Limit, "api">

/** Matches the tool names that most vendors accept. */
export const NAME = /^[a-zA-Z0-9_-]+$/

export const JSON_WORD = rejects((body) => formatOf(body) === "json_object" && !hasJsonWord(body), {
  message:
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
})

/** Whether thinking is switched off, in the form of any vendor. */
export function isOff(
  body: JsonObject,
  ...forms: readonly ("effort" | "enable_thinking" | "thinking")[]
) {
  return forms.some((form) => {
    if (form === "enable_thinking") return body.enable_thinking === false
    if (form === "thinking") return objectOf(body.thinking).type === "disabled"
    return stringOf(body.reasoning_effort ?? objectOf(body.reasoning).effort) === "none"
  })
}

/** Whether a tool call is required. */
export function isCallRequired(body: JsonObject): boolean {
  return hasTools(body) && isToolForced(body)
}

/** Rejects parameters that a vendor does not have, with the vendor's message. */
export function noParameter(message: (name: string) => string, ...names: readonly string[]): Check {
  return (body) => {
    const name = names.find((each) => valueAt(body, each) !== undefined)
    return name === undefined ? undefined : { message: message(name), parameter: name }
  }
}

/** Rejects efforts that a model does not accept, with Groq's message. */
export function effortAmong(...efforts: readonly string[]): Check {
  return (body) => {
    const effort = valueAt(body, "reasoning_effort")
    if (effort === undefined || efforts.includes(stringOf(effort))) return undefined
    const values = efforts.map((each) => `\`${each}\``).join(", ")
    return { message: `\`reasoning_effort\` must be one of ${values}` }
  }
}
