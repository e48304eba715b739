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

/** Whether a field can be omitted without a loss: `store: false` at a vendor that stores nothing. */
export function asksForNothing(name: string, value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (name === "store" && value === false)
}

/** Maximum characters of all texts that are parsed while a request is encoded. */
const MAX_PARSED_CHARACTERS = 128 * 1024

/**
 * The losses of a request that is converted to one dialect, each name once, and the share of its texts that is already
 * parsed: every encoder of a request has its list.
 */
export class LossList {
  readonly losses: Loss[] = []
  readonly #dialect: DialectId
  /** A caller may have named any number of fields; undefined while nothing is lost. */
  #names: Set<string> | undefined
  #parsedCharacters = 0

  /** @param dialect the target: extras of all others are lost. */
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
   * Returns the same as the function `objectIn`. Beyond the maximum, texts are parsed when the request is written, in
   * slices, because together they may have millions of values.
   */
  objectIn(text: string, otherwise?: string): JsonObject {
    if (!startsObject(text)) return objectIn(text, otherwise)
    this.#parsedCharacters += text.length
    return this.#parsedCharacters <= MAX_PARSED_CHARACTERS
      ? objectIn(text, otherwise)
      : (new UnparsedObject(text, otherwise) as unknown as JsonObject)
  }

  /** The fields of an extra of the target dialect; another dialect's are lost by name. */
  fieldsOf(extra: Extra | undefined): JsonObject | undefined {
    if (extra === undefined) return undefined
    if (extra.dialect === this.#dialect) return extra.fields
    for (const [name, value] of Object.entries(extra.fields)) {
      if (!asksForNothing(name, value)) this.add(name)
    }
    return undefined
  }

  /** The fields of a part that only one dialect has: for another it is lost as a whole, by its type if it has one. */
  partOf({ extra }: UnknownPart): JsonObject | undefined {
    const type = extra.dialect === this.#dialect ? undefined : textAt(extra.fields, "type")
    if (type === undefined) return this.fieldsOf(extra)
    this.add(type)
    return undefined
  }
}
