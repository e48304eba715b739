import { MAX_MEMBERS } from "#contract/request-limits.ts"
import { limitsAt } from "#contract/service-routes.ts"
import { GatewayError } from "../../canon/errors.ts"
import { invalidValue } from "../../canon/invalid-request.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"

/** A shorter body cannot exceed any limit: an element and its comma take two bytes. */
const MIN_CHECKED_BYTES = 2 * 2_048

/** A field with a limited number of elements, members or characters. */
interface LimitedField {
  /** Path of the field; `[]` stands for each element of a list. */
  readonly steps: readonly string[]
  readonly max: number
  readonly unit: "elements" | "members" | "characters"
  /** Whether a list of numbers counts as one text. */
  readonly isTokens: boolean
}

const UNITS = ["elements", "members", "characters"] as const
const EACH = "[]"
const fields = new Map<string, readonly LimitedField[]>()

/**
 * Rejects a body with a list above the limit of its endpoint, so that no list causes more work than a large request
 * needs.
 * @param path path of the endpoint. Without specific limits, only the limit of the body applies.
 * @param bytes size of the body.
 * @throws GatewayError `invalid_value`, naming the field.
 */
export function refuseLongLists(body: JsonObject, path: string, bytes: number): void {
  if (bytes < MIN_CHECKED_BYTES) return
  if (Object.keys(body).length > MAX_MEMBERS) {
    throw new GatewayError("invalid_value", `The body has more than ${MAX_MEMBERS} members.`)
  }
  let known = fields.get(path)
  if (known === undefined) fields.set(path, (known = fieldsOf(path)))
  for (const field of known) refuseLong(body, field, 0, "")
}

function refuseLong(
  value: JsonValue | undefined,
  field: LimitedField,
  depth: number,
  name: string,
): void {
  const step = field.steps[depth]
  if (step === undefined) return refuseLength(value, field, name)
  if (step !== EACH) {
    if (!isJsonObject(value) || !Object.hasOwn(value, step)) return
    return refuseLong(value[step], field, depth + 1, name === "" ? step : `${name}.${step}`)
  }
  if (!Array.isArray(value)) return
  for (const [index, element] of value.entries()) {
    if (isJsonObject(element)) refuseLong(element, field, depth + 1, `${name}[${index}]`)
  }
}

function refuseLength(
  value: JsonValue | undefined,
  { max, unit, isTokens }: LimitedField,
  name: string,
): void {
  if (unit === "members" && isJsonObject(value) && Object.keys(value).length > max) {
    throw invalidValue(
      name,
      `Invalid '${name}': too many properties. Expected an object with at most ${max} properties.`,
    )
  }
  if (unit === "characters" && lengthOf(value) > max) {
    throw new GatewayError(
      "string_above_max_length",
      `Invalid '${name}': text too long. Expected at most ${max} characters in total, but got ${lengthOf(value)} instead.`,
      { parameter: name },
    )
  }
  if (unit !== "elements" || !Array.isArray(value) || value.length <= max) return
  if (isTokens && typeof value[0] === "number") return
  throw invalidValue(
    name,
    `Invalid '${name}': array too long. Expected an array with maximum length ${max}, but got an array with length ${value.length} instead.`,
  )
}

/** Counts the characters of a text, or of all texts of a list. */
function lengthOf(value: JsonValue | undefined): number {
  if (typeof value === "string") return value.length
  if (!Array.isArray(value)) return 0
  return value.reduce<number>((sum, text) => sum + (typeof text === "string" ? text.length : 0), 0)
}

/** Returns the limited fields. Google's clients may write each name with underscores as well. */
function fieldsOf(path: string): readonly LimitedField[] {
  const known = limitsAt(path.replace("{model}", "{id}"))
  if (known === undefined) return []
  const { lists, maps, lengths = {}, tokens } = known
  const limited = { elements: lists, members: maps, characters: lengths }
  const written = UNITS.flatMap((unit) =>
    Object.entries(limited[unit]).map(([name, max]) => ({
      steps: stepsOf(name),
      max,
      unit,
      isTokens: name === tokens,
    })),
  )
  const others = written.map((field) => ({ ...field, steps: field.steps.map(withUnderscores) }))
  return [
    ...written,
    ...others.filter(({ steps }, index) => steps.join() !== written[index]?.steps.join()),
  ]
}

function stepsOf(name: string): string[] {
  return name.replaceAll(EACH, `.${EACH}`).split(".")
}

function withUnderscores(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
