import { MAX_MEMBERS } from "#contract/request-limits.ts"
import { limitsAt } from "#contract/service-routes.ts"
import { GatewayError } from "../../canon/errors.ts"
import { invalidValue } from "../../canon/invalid-request.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"

/** Minimum bytes of a body that can exceed a limit. An element and its comma take two bytes. */
const MIN_CHECKED_BYTES = 2 * 2_048

/** A field with a limited number of elements, members or characters. */
interface LimitedField {
  /** Steps of the path to the field; `[]` stands for each element of a list. */
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
 * Rejects a body with a list above the limit of its endpoint, so that no list causes more work than a usual large
 * request.
 * @param path path of the endpoint. If it has no specific limits, only the limit of the body applies.
 * @param bytes size of the body.
 * @throws GatewayError `invalid_value` with the name of the field.
 */
export function rejectLongLists(body: JsonObject, path: string, bytes: number): void {
  if (bytes < MIN_CHECKED_BYTES) return
  if (Object.keys(body).length > MAX_MEMBERS) {
    throw new GatewayError("invalid_value", `The body has more than ${MAX_MEMBERS} members.`)
  }
  let known = fields.get(path)
  if (known === undefined) fields.set(path, (known = fieldsOf(path)))
  for (const field of known) {
    const excess = excessIn(body, field, 0)
    if (excess !== undefined) throw excessError(excess, field)
  }
}

/** A value above its limit. */
interface Excess {
  readonly value: JsonValue
  /** The path from the searched value to this value. */
  readonly path: string
}

/** Returns the first value of a field that is above the limit. */
function excessIn(
  value: JsonValue | undefined,
  field: LimitedField,
  depth: number,
): Excess | undefined {
  const step = field.steps[depth]
  if (step === undefined) {
    return value !== undefined && isExcessive(value, field) ? { value, path: "" } : undefined
  }
  if (step !== EACH) {
    if (!isJsonObject(value) || !Object.hasOwn(value, step)) return undefined
    const found = excessIn(value[step], field, depth + 1)
    return found && { ...found, path: `.${step}${found.path}` }
  }
  if (!Array.isArray(value)) return undefined
  for (let index = 0; index < value.length; index++) {
    const element = value[index]
    if (!isJsonObject(element)) continue
    const found = excessIn(element, field, depth + 1)
    if (found) return { ...found, path: `[${index}]${found.path}` }
  }
  return undefined
}

function isExcessive(value: JsonValue, { max, unit, isTokens }: LimitedField): boolean {
  if (unit === "members") return isJsonObject(value) && Object.keys(value).length > max
  if (unit === "characters") return lengthOf(value) > max
  if (!Array.isArray(value) || value.length <= max) return false
  return !(isTokens && typeof value[0] === "number")
}

function excessError({ value, path }: Excess, { max, unit }: LimitedField): GatewayError {
  const name = path.slice(1)
  if (unit === "members") {
    return invalidValue(
      name,
      `Invalid '${name}': too many properties. Expected an object with at most ${max} properties.`,
    )
  }
  if (unit === "characters") {
    return new GatewayError(
      "string_above_max_length",
      `Invalid '${name}': text too long. Expected at most ${max} characters in total, but got ${lengthOf(value)} instead.`,
      { parameter: name },
    )
  }
  const count = Array.isArray(value) ? value.length : 0
  return invalidValue(
    name,
    `Invalid '${name}': array too long. Expected an array with maximum length ${max}, but got an array with length ${count} instead.`,
  )
}

/** Counts the characters of a text, or of all texts in a list. */
function lengthOf(value: JsonValue): number {
  if (typeof value === "string") return value.length
  if (!Array.isArray(value)) return 0
  return value.reduce<number>((sum, text) => sum + (typeof text === "string" ? text.length : 0), 0)
}

/** Returns the limited fields of an endpoint. Google's clients may also write each name with underscores. */
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
