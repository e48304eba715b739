import { z } from "zod"
import { YamlNumber } from "./yaml-value.ts"

/**
 * The reason why a value is invalid, as the end of a sentence that starts with the setting's name.
 */
export class Fault {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

export type JsonSchema = Readonly<Record<string, unknown>>

/** The JSON Schemas of schemas that have a custom reader, and of their alternatives. */
export const JSON_FORMS = new WeakMap<
  z.core.$ZodType,
  { readonly form: JsonSchema } | { readonly anyOf: readonly z.ZodType[] }
>()

const STRING: JsonSchema = { type: "string" }
/** The JSON Schema of a secret text. */
export const SECRET_TEXT: JsonSchema = { type: "string", writeOnly: true }
/** The JSON Schema of a reference such as `${NAME}`, which may replace any value. */
export const REFERENCE: JsonSchema = { type: "string", pattern: "\\$\\{" }
export const TEXT_OR_NUMBER: JsonSchema = { type: ["string", "number"] }
/** A number or text, or `off`, which YAML 1.1 parses as false. */
export const TEXT_OR_OFF: JsonSchema = { anyOf: [TEXT_OR_NUMBER, { const: false }] }

/**
 * Creates a schema from a function that returns a value or its fault.
 * @param form the JSON Schema for editors; text if absent.
 */
export function reading<Value>(read: (input: unknown) => Value | Fault, form = STRING) {
  const schema = z.unknown().transform((input, context): Value => {
    const result = read(input)
    if (!(result instanceof Fault)) return result
    context.addIssue({ code: "custom", message: result.message })
    return z.NEVER
  })
  JSON_FORMS.set(schema, { form })
  return schema
}

/**
 * Creates a schema from a function that reads nonempty text.
 * @param form the JSON Schema for editors; text if absent.
 */
export function readingText<Value>(read: (text: string) => Value | Fault, form = STRING) {
  return reading((input) => {
    const text = readText(input)
    return text instanceof Fault ? text : read(text)
  }, form)
}

interface Checking<Value> {
  safeParse(input: unknown): {
    readonly data?: Value
    readonly error?: { readonly issues: readonly { readonly message: string }[] }
  }
}

/** Creates a function that parses text by a schema. It is for values outside of the settings file. */
export function readWith<Value>(schema: Checking<Value>): (text: string) => Value | Fault {
  return (text) => {
    const { data, error } = schema.safeParse(text)
    return data ?? new Fault(error?.issues[0]?.message ?? "is not valid")
  }
}

/** The fault of a name without a value. */
export const NO_VALUE = "has no value. Give it one, or remove the line"
/** The fault of a value of another kind, such as a number. */
export const NOT_TEXT = "must be text. Put it in quotes"

/** Reads nonempty text. */
export function readText(input: unknown): string | Fault {
  if (input === undefined) return new Fault("is missing")
  if (input === null) return new Fault(NO_VALUE)
  if (typeof input !== "string") return new Fault(NOT_TEXT)
  return input.trim() === "" ? new Fault("is empty. Give it a value, or remove the line") : input
}

/** Reads the text of a number, with or without quotes. Other text is returned unchanged. */
export function readNumberText(input: unknown): string | Fault {
  const text = readText(input instanceof YamlNumber ? input.source : input)
  return text instanceof Fault && typeof input === "boolean" ? new Fault("must be a number") : text
}
