import { checkEntries } from "../../canon/response-limits.ts"
import type { Choice } from "../../canon/chat.ts"
import { GatewayError } from "../../canon/errors.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import { once } from "../../canon/once.ts"

/** Maximum choices of a response. No vendor accepts this many (OpenAI's limit is 128). */
const MAX_CHOICES = 1_000

/**
 * Checks the number of tool calls.
 * @throws GatewayError `upstream_error` if there are more tool calls than a response can have.
 */
export function checkToolCalls(count: number): void {
  checkEntries("tool calls", count)
}

/**
 * Checks the number of images.
 * @throws GatewayError `upstream_error` if there are more images than a response can have.
 */
export function checkImages(count: number): void {
  checkEntries("images", count)
}

const ONLY: readonly number[] = [0]

/**
 * Returns the indexes of the choices of a whole response: the vendor's indexes if every choice has one, otherwise the
 * positions.
 */
export function choiceNumbers(choices: readonly JsonValue[]): readonly number[] {
  if (choices.length === 1) return ONLY
  const given = choices.map((choice) => (isJsonObject(choice) ? choice.index : undefined))
  const positions = choices.map((_, position) => position)
  const numbers = new Set(given)
  const isComplete = positions.every((position) => numbers.has(position))
  return isComplete ? (given as number[]) : positions
}

/**
 * Encodes the choices of a whole response. If there are several, each choice is encoded when it is first read, because
 * the response is written in slices. Encoding all choices at once would block the event loop.
 */
export function encodeChoices(
  choices: readonly Choice[],
  encode: (choice: Choice) => JsonObject,
): JsonObject[] {
  if (choices.length === 1) return choices.map(encode)
  const encoded: JsonObject[] = []
  for (const [index, choice] of choices.entries()) {
    const get = once(() => encode(choice))
    Object.defineProperty(encoded, index, { get, enumerable: true, configurable: true })
  }
  return encoded
}

/**
 * Returns the requested choices of a whole response, and drops the others.
 * @param asked the number of requested choices; if absent, all choices are returned.
 */
export function requestedChoices(
  choices: readonly JsonValue[],
  asked: number | undefined,
): readonly JsonValue[] {
  return asked === undefined || choices.length <= asked ? choices : choices.slice(0, asked)
}

/**
 * Numbers the choices of a stream. If only one choice was requested, its index is 0, regardless of the vendor's index.
 */
export class StreamedChoices {
  readonly #asked: number
  readonly #seen = new Set<number>()

  /** @param asked the number of requested choices; any number if absent. */
  constructor(asked = Infinity) {
    this.#asked = asked
  }

  /** Returns the number of a choice; undefined for a choice beyond the requested ones, which is dropped. */
  numberOf(index: number): number | undefined {
    if (this.#seen.size < this.#asked) this.#seen.add(index)
    else if (!this.#seen.has(index)) return undefined
    return this.#asked === 1 ? 0 : index
  }
}

/**
 * Checks the number of choices.
 * @throws GatewayError `upstream_error` if a response, or a frame of it, contains too many choices.
 */
export function checkChoices(choices: readonly JsonValue[]): void {
  if (choices.length <= MAX_CHOICES) return
  throw new GatewayError(
    "upstream_error",
    `The provider sent a response of ${choices.length.toLocaleString("en-US")} choices, which was not read. Try again.`,
  )
}
