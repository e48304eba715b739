import type { JsonValue } from "../../canon/json.ts"

/** Seconds until the year 5138: a larger number counts in other units. */
const MAX_SECONDS = 100_000_000_000

/** Whether a value is a time in whole seconds since 1970. */
export function isUnixTime(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < MAX_SECONDS
}

/** The current time in Unix seconds, as in OpenAI's responses. */
export function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
