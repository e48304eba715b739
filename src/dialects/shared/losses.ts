import type { DialectId, Extra, Loss } from "../../canon/extra.ts"
import {
  type JsonObject,
  type JsonValue,
  objectIn,
  startsObject,
  textAt,
  UnparsedObject,
} from "../../canon/json.ts"
import type { UnknownPart } from "../../canon/message.ts"

/** Whether a field can be omitted without a loss, such as `store: false` for a vendor that stores nothing. */
export function asksForNothing(name: string, value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (name === "store" && value === false)
}

/**
 * Maximum characters of texts that are parsed while a request is encoded. The limit applies to all texts of a request
 * together.
 */
const MAX_PARSED_CHARACTERS = 128 * 1024

/**
 * The losses of a request that is converted to one dialect, without duplicate names. It also counts the texts of the
 * request that are already parsed, because all encoders of a request share its list.
 */
export class LossList {
  readonly losses: Loss[] = []
  readonly #dialect: DialectId
  /** A set, because a caller may name any number of fields; undefined until a loss is added. */
  #names: Set<string> | undefined
  #parsedCharacters = 0

  /** @param dialect the target dialect. Extras of all other dialects are lost. */
  constructor(dialect: DialectId) {
    this.#dialect = dialect
  }

  add(name: string, effect: Loss["effect"] = "dropped"): void {
    this.#names ??= new Set()
    if (this.#names.has(name)) return
    this.#names.add(name)
    this.losses.push({ name, effect })
  }

  /**
   * Returns the same object as the function `objectIn`. Once the maximum is reached, texts are only parsed when the
   * request is written in slices, because together they may have millions of values.
   */
  objectIn(text: string, otherwise?: string): JsonObject {
    if (!startsObject(text)) return objectIn(text, otherwise)
    this.#parsedCharacters += text.length
    return this.#parsedCharacters <= MAX_PARSED_CHARACTERS
      ? objectIn(text, otherwise)
      : (new UnparsedObject(text, otherwise) as unknown as JsonObject)
  }

  /**
   * Returns the fields of an extra of the target dialect. The fields of another dialect's extra are reported as losses
   * by name.
   */
  fieldsOf(extra: Extra | undefined): JsonObject | undefined {
    if (extra === undefined) return undefined
    if (extra.dialect === this.#dialect) return extra.fields
    for (const [name, value] of Object.entries(extra.fields)) {
      if (!asksForNothing(name, value)) this.add(name)
    }
    return undefined
  }

  /**
   * Returns the fields of a part that exists in one dialect only. For another dialect, the whole part is reported as a
   * loss, by its type if it has one.
   */
  partOf({ extra }: UnknownPart): JsonObject | undefined {
    const type = extra.dialect === this.#dialect ? undefined : textAt(extra.fields, "type")
    if (type === undefined) return this.fieldsOf(extra)
    this.add(type)
    return undefined
  }
}
