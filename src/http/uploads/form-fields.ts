import { GatewayError } from "../../canon/errors.ts"
import { invalidValue } from "../../canon/invalid-request.ts"
import { type JsonObject, type JsonValue, parseJson } from "../../canon/json.ts"

/** The type of a field's text. Fields that are not listed are plain text. */
export type FieldKind = "number" | "flag" | "list"
export type FieldKinds = Readonly<Record<string, FieldKind>>

/** Maximum bytes of all values together, because they are kept in memory. */
export const MAX_FIELDS_BYTES = 4 * 1024 * 1024
/** Maximum length of a field's name in an error message. */
const MAX_NAME_LENGTH = 100

/** The fields of a form that are not files, in order of arrival. */
export class FormFields {
  readonly #fields: (readonly [name: string, value: string])[]
  #length = 0

  constructor(fields: readonly (readonly [name: string, value: string])[] = []) {
    this.#fields = [...fields]
  }

  /**
   * Adds the value of a field.
   * @throws GatewayError `body_too_large`
   */
  add(name: string, value: string): void {
    this.#length += name.length + value.length
    if (this.#length > MAX_FIELDS_BYTES) {
      throw new GatewayError(
        "body_too_large",
        "The fields of the form are longer than 4 MB together.",
      )
    }
    this.#fields.push([name, value])
  }

  /** Returns the first value of a field; undefined if it is missing. */
  first(name: string): string | undefined {
    return this.#fields.find(([given]) => given === name)?.[1]
  }

  /** Copies the fields that have arrived so far. */
  copy(): FormFields {
    return new FormFields(this.#fields)
  }

  /**
   * Returns the fields as members of a JSON body, so that they can be validated in the same way. A field of the kind
   * `number` stays text if it does not contain a number.
   * @throws GatewayError `invalid_value` if a field that is not a list occurs twice.
   */
  parameters(kinds: FieldKinds): JsonObject {
    const parameters = Object.create(null) as JsonObject
    for (const [name, text] of this.#fields) {
      const plain = plainName(name)
      const kind = Object.hasOwn(kinds, plain) ? kinds[plain] : undefined
      const before = parameters[plain]
      if (kind === "list" || plain !== name) {
        parameters[plain] = [...(Array.isArray(before) ? before : []), text]
      } else if (before !== undefined) {
        const shown = shownName(plain)
        throw invalidValue(shown, `The field '${shown}' was given more than once.`)
      } else if (text !== "") {
        // As is usual for forms, an empty field counts as missing.
        parameters[plain] = valueOf(text, kind)
      }
    }
    return parameters
  }
}

/**
 * Returns a field's name without the brackets of an array, which is written `image[]` or `image[0]`
 * (docs/contribute/wire/README.md#f6).
 */
export function plainName(name: string): string {
  return name.replace(/\[\d*\]$/, "")
}

/** Shortens a name for an error message. */
export function shownName(name: string): string {
  return name.slice(0, MAX_NAME_LENGTH)
}

const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/

function valueOf(text: string, kind: FieldKind | undefined): JsonValue {
  if (kind === "flag") return text === "true" ? true : text === "false" ? false : text
  const number = text.trim()
  if (kind !== "number" || !NUMBER.test(number)) return text
  return parseJson(number) ?? Number(number)
}
