import { parseDuration } from "./duration.ts"
import { Fault, readNumberText, reading } from "./scalars.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** How long prompts and answers are stored of accounts that have them stored. */
const CONTENTS = 30 * DAY
const LONGEST = 100 * 365 * DAY

/** How long things are kept, milliseconds. */
export interface RetentionSettings {
  /** Prompts and answers of accounts that have them stored. */
  readonly contents: number
}

/** How long something is kept: days rather than seconds. */
function keepingTime(shortest: number, example: string) {
  return reading((input) => {
    const text = readNumberText(input)
    if (text instanceof Fault) return text
    const length = parseDuration(text)
    const isPossible = length !== undefined && length >= shortest && length <= LONGEST
    return isPossible
      ? length
      : new Fault(`must be a length of time such as ${example}, at least ${shortest / HOUR}h`)
  })
}

/** The names under `retention` in the file. */
export const retentionScalars = {
  contents: keepingTime(HOUR, "30d").optional(),
}

/** What the file says, and what holds where it says nothing. */
export function retentionSettings(
  section: Partial<Record<keyof RetentionSettings, number | undefined>> | null | undefined,
): RetentionSettings {
  return { contents: section?.contents ?? CONTENTS }
}
