import type { JsonValue } from "../../canon/json.ts"

/** Maximum Unix seconds, in the year 5138. A larger number has another unit. */
const MAX_SECONDS = 100_000_000_000

/** Whether a value is a time in whole Unix seconds. */
export function isUnixTime(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < MAX_SECONDS
}

/** Returns the current time in Unix seconds, as in OpenAI's responses. */
export function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
