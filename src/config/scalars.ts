import { MINUTE_MS } from "#contract/durations.ts"
import { MAX_MINIMUM_SECONDS } from "#contract/amounts.ts"
import { commaFault } from "#contract/comma.ts"
import { type DecimalText, plainDecimal } from "#contract/decimal.ts"
import { parseDuration } from "./duration.ts"
import { suggestion } from "./nearest.ts"
import {
  Fault,
  reading,
  readingText,
  readNumberText,
  readText,
  REFERENCE,
  SECRET_TEXT,
  TEXT_OR_NUMBER,
  TEXT_OR_OFF,
} from "./reading.ts"

/** Reads a number within inclusive bounds. */
export function number(
  minimum: number,
  maximum: number,
  kind: "number" | "whole number" = "number",
) {
  const wanted = new Fault(
    Number.isFinite(maximum)
      ? `must be a ${kind} from ${minimum} to ${maximum}`
      : `must be a ${kind}, at least ${minimum}`,
  )
  return reading(
    (input) => {
      const text = readNumberText(input)
      if (text instanceof Fault) return text
      const plain = plainDecimal(text)
      if (plain === undefined) return wanted
      const value = Number(plain)
      const whole = kind === "number" || Number.isSafeInteger(value)
      return whole && value >= minimum && value <= maximum ? value : wanted
    },
    {
      type: [kind === "number" ? "number" : "integer", "string"],
      minimum,
      ...(Number.isFinite(maximum) && { maximum }),
    },
  )
}

/** Reads a whole number within inclusive bounds. */
export function wholeNumber(minimum: number, maximum: number) {
  return number(minimum, maximum, "whole number")
}

const MEBIBYTE = 1024 * 1024

/** Reads a size in megabytes and converts it to bytes. */
export function megabytes(minimum: number, maximum: number) {
  return number(minimum, maximum).transform((size) => Math.round(size * MEBIBYTE))
}

/** Formats bytes as megabytes. */
export function writeMegabytes(bytes: number): string {
  return shortNumber(bytes / MEBIBYTE)
}

/** Reads minutes as milliseconds. */
export function minutes(minimum: number, maximum: number) {
  return number(minimum, maximum).transform((length) => Math.round(length * MINUTE_MS))
}

/** Formats milliseconds as minutes. */
export function writeMinutes(milliseconds: number): string {
  return shortNumber(milliseconds / MINUTE_MS)
}

function shortNumber(value: number): string {
  return String(Math.round(value * 100) / 100)
}

/** Reads a nonnegative amount as exact decimal text. */
export function amount(places: number) {
  return reading(
    (input) => {
      const text = readNumberText(input)
      if (text instanceof Fault) return text
      const plain = plainDecimal(text)
      if (plain === undefined) {
        return new Fault(commaFault(text) ?? "must be a decimal number such as 0.15")
      }
      const fault = amountFault(plain, places)
      return fault === undefined ? plain : new Fault(fault)
    },
    { type: ["number", "string"], minimum: 0 },
  )
}

/** Maximum digits before the decimal point that fit the ledger's 64-bit columns of nanocredits. */
const WHOLE_DIGITS = 9

/**
 * Returns why a plain decimal is not a valid amount, as the end of a sentence that starts with its name.
 * @param places maximum digits after the decimal point; trailing zeros do not count.
 * @returns undefined if the decimal is valid.
 */
export function amountFault(text: DecimalText, places: number): string | undefined {
  const [whole = "", fraction = ""] = text.split(".")
  if (text.startsWith("-")) return "must not be negative"
  if (fraction.replace(/0+$/, "").length > places) {
    return `has more than ${places} digits after the point`
  }
  return whole.length > WHOLE_DIGITS ? `must be below ${10 ** WHOLE_DIGITS}` : undefined
}

/** Reads the minimum number of seconds charged per request, as decimal text. */
export function minimumSeconds() {
  return wholeNumber(1, MAX_MINIMUM_SECONDS).transform(String)
}

const MOMENT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/

/** Reads a moment as Unix milliseconds. A day without a time means its start in UTC. */
export function moment() {
  return readingText((text) => {
    const at = MOMENT.test(text) ? Date.parse(text) : NaN
    const isReal = Number.isFinite(at) && dayExists(text)
    return isReal ? at : new Fault("must be a moment such as 2026-12-01 or 2026-12-01T18:00:00Z")
  })
}

/** Whether a day exists. The runtime parses `2026-02-30` as a day in March. */
function dayExists(text: string): boolean {
  const day = text.slice(0, 10)
  return new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) === day
}

const MAX_DURATION_MS = 86_400_000

/** Reads a duration as whole milliseconds. A number without a unit counts seconds. */
export function duration() {
  return reading((input) => {
    const text = readNumberText(input)
    if (text instanceof Fault) return text
    const milliseconds = parseDuration(
      plainDecimal(text) === undefined ? text : `${plainDecimal(text)}s`,
    )
    if (milliseconds === undefined || milliseconds < 1 || milliseconds > MAX_DURATION_MS) {
      return new Fault("must be a length of time such as 500ms, 10s, 5m or 1h, at most 24h")
    }
    return milliseconds
  }, TEXT_OR_NUMBER)
}

/** Reads a duration. `0` and `off` are read as 0. */
export function durationOrOff() {
  const length = duration()
  return reading((input) => {
    if (input === false) return 0
    const text = readNumberText(input)
    if (text instanceof Fault) return text
    if (text === "off" || parseDuration(/^[\d.]+$/.test(text) ? `${text}s` : text) === 0) return 0
    const read = length.readOne(input)
    return read instanceof Fault ? new Fault(`${read.message}, or off`) : read
  }, TEXT_OR_OFF)
}

export function flag() {
  return reading(
    (input) => {
      if (typeof input === "boolean") return input
      if (input === "true" || input === "false") return input === "true"
      return new Fault("must be true or false")
    },
    { anyOf: [{ type: "boolean" }, { enum: ["true", "false"] }, REFERENCE] },
  )
}

/** Reads one of a fixed set of words. */
export function oneOf<Word extends string>(words: readonly Word[], kind: string) {
  return readingText(
    (text) => {
      const word = words.find((word) => word === text)
      return word ?? new Fault(`is not a known ${kind}.${suggestion(text, words) || known(words)}`)
    },
    { anyOf: [{ enum: words }, REFERENCE] },
  )
}

function known(words: readonly string[]): string {
  return words.length === 0 ? "" : ` Known here: ${words.join(", ")}`
}

export function text() {
  return reading(readText)
}

/** Reads a secret for a header, without white space that may have been copied with it. */
export function secret() {
  return readingText(readSecret, SECRET_TEXT)
}

/** Reads a secret from the environment, without white space that may have been copied with it. */
export function readSecret(text: string): string | Fault {
  const trimmed = text.trim()
  return /^[!-~]+$/.test(trimmed)
    ? trimmed
    : new Fault("must be printable characters without spaces, as it was issued")
}
