import { arrayOf, objectOf, stringOf, type Json, type JsonObject } from "../json.ts"

/** The formats of requests to vendors. */
export type Api = "chat" | "responses" | "messages" | "gemini" | "converse"

/** The reason why a vendor rejects a request. */
export interface Problem {
  readonly message: string
  readonly parameter?: string
  readonly code?: string
  /** The HTTP status. Defaults to 400. */
  readonly status?: number
}

export type Check = (body: JsonObject, model: string) => Problem | undefined

/** A documented limit of the models of some vendors. */
export interface Limit {
  readonly vendors: readonly string[]
  /** Matches the vendor's model names to which the limit applies. Defaults to all models of the vendor. */
  readonly models?: RegExp
  readonly api: Api
  readonly source: string
  readonly checks: readonly Check[]
}

/** Returns the value at a path such as `reasoning.effort`; undefined if the value is null or absent. */
export function valueAt(body: JsonObject, path: string): Exclude<Json, null> | undefined {
  let value: Json | undefined = body
  for (const name of path.split(".")) value = objectOf(value)[name]
  return value ?? undefined
}

/** Formats values as OpenAI does: `'a', 'b', and 'c'`. */
export function listed(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`)
  if (quoted.length < 3) return quoted.join(" and ")
  return `${quoted.slice(0, -1).join(", ")}, and ${quoted.at(-1)}`
}

/** Rejects parameters that a model does not have. The value `false` counts as absent. */
export function unsupported(...paths: readonly string[]): Check {
  return (body) => {
    const path = paths.find((each) => {
      const value = valueAt(body, each)
      return value !== undefined && value !== false
    })
    if (path === undefined) return undefined
    const message = `Unsupported parameter: '${path}' is not supported with this model.`
    return { message, parameter: path, code: "unsupported_parameter" }
  }
}

/** Rejects any value except the default. */
export function onlyDefault(defaults: Readonly<Record<string, number>>): Check {
  return (body) => {
    for (const [path, usual] of Object.entries(defaults)) {
      const value = valueAt(body, path)
      if (value === undefined || value === usual) continue
      const message = `Unsupported value: '${path}' does not support ${String(value)} with this model. Only the default (${usual}) value is supported.`
      return { message, parameter: path, code: "unsupported_value" }
    }
    return undefined
  }
}

/** Rejects values that a model does not accept. */
export function oneOf(path: string, values: readonly string[]): Check {
  return (body) => {
    const value = valueAt(body, path)
    if (value === undefined || values.includes(stringOf(value))) return undefined
    const message = `Unsupported value: '${path}' does not support '${stringOf(value)}' with this model. Supported values are: ${listed(values)}.`
    return { message, parameter: path, code: "unsupported_value" }
  }
}

/** Rejects texts that are longer than a number of characters. */
export function maxLength(max: number, ...paths: readonly string[]): Check {
  return (body) => {
    for (const path of paths) {
      const problem = tooLong(path, valueAt(body, path), max)
      if (problem !== undefined) return problem
    }
    return undefined
  }
}

function tooLong(place: string, value: Json | undefined, max: number): Problem | undefined {
  const { length } = stringOf(value)
  if (length <= max) return undefined
  const message = `Invalid '${place}': string too long. Expected a string with maximum length ${max}, but got a string with length ${length} instead.`
  return { message, parameter: place, code: "string_above_max_length" }
}

/** Rejects lists with more than a number of entries. */
export function maxItems(max: number, path: string): Check {
  return (body) => {
    const { length } = arrayOf(valueAt(body, path))
    if (length <= max) return undefined
    const message = `Invalid '${path}': array too long. Expected an array with maximum length ${max}, but got an array with length ${length} instead.`
    return { message, parameter: path, code: "array_above_max_length" }
  }
}

/** Rejects ids of tool calls, anywhere in a list of messages or items, that are longer than `max`. */
export function callIds(max: number): Check {
  return (body) => {
    for (const [index, entry] of arrayOf(body.messages).entries()) {
      const message = objectOf(entry)
      const place = `messages[${index}]`
      const answered = tooLong(`${place}.tool_call_id`, message.tool_call_id, max)
      if (answered !== undefined) return answered
      for (const [position, call] of arrayOf(message.tool_calls).entries()) {
        const made = tooLong(`${place}.tool_calls[${position}].id`, objectOf(call).id, max)
        if (made !== undefined) return made
      }
    }
    for (const [index, item] of arrayOf(body.input).entries()) {
      const problem = tooLong(`input[${index}].call_id`, objectOf(item).call_id, max)
      if (problem !== undefined) return problem
    }
    return undefined
  }
}

/** Rejects invalid or too long names of declared functions, in either of OpenAI's formats. */
export function toolNames(pattern: RegExp, max: number): Check {
  return (body) => {
    for (const [index, entry] of arrayOf(body.tools).entries()) {
      const tool = objectOf(entry)
      if (tool.type !== "function") continue
      const isNested = tool.function !== undefined
      const name = stringOf(isNested ? objectOf(tool.function).name : tool.name)
      const place = isNested ? `tools[${index}].function.name` : `tools[${index}].name`
      const problem = tooLong(place, name, max)
      if (problem !== undefined) return problem
      if (pattern.test(name)) continue
      const message = `Invalid '${place}': string does not match pattern. Expected a string that matches the pattern '${pattern.source}'.`
      return { message, parameter: place, code: "invalid_value" }
    }
    return undefined
  }
}

/** Rejects parameters that a vendor does not accept, with the vendor's message. */
export function unknownFields(
  isKnown: (name: string) => boolean,
  problem: (name: string) => Problem,
): Check {
  return (body) => {
    const name = Object.keys(body).find((each) => !isKnown(each))
    return name === undefined ? undefined : problem(name)
  }
}

/** Rejects requests that meet a condition. */
export function rejects(
  holds: (body: JsonObject, model: string) => boolean,
  problem: Problem | ((model: string) => Problem),
): Check {
  return (body, model) => {
    if (!holds(body, model)) return undefined
    return typeof problem === "function" ? problem(model) : problem
  }
}
