import { parseDuration } from "./duration.ts"
import { Fault, readNumberText, reading } from "./scalars.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** How long prompts and answers are stored of accounts that have them stored. */
const CONTENTS = 30 * DAY
/** What is younger may still be asked for: budgets of a month, repeated requests, journals that are posted late. */
const SHORTEST_RECEIPTS = 62 * DAY
const LONGEST = 100 * 365 * DAY

/** How long things are kept, milliseconds. */
export interface RetentionSettings {
  /** Prompts and answers of accounts that have them stored. */
  readonly contents: number
  /** Entries of the ledger, and receipts; null: forever. */
  readonly receipts: number | null
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
      : new Fault(
          `must be a length of time such as ${example}, at least ${shortest < DAY ? `${shortest / HOUR}h` : `${shortest / DAY}d`}`,
        )
  })
}

/** The names under `retention` in the file. */
export const retentionScalars = {
  contents: keepingTime(HOUR, "30d").optional(),
  receipts: keepingTime(SHORTEST_RECEIPTS, "400d").optional(),
}

/** What the file says, and what holds where it says nothing. */
export function retentionSettings(
  section:
    | { readonly contents?: number | undefined; readonly receipts?: number | undefined }
    | null
    | undefined,
): RetentionSettings {
  return { contents: section?.contents ?? CONTENTS, receipts: section?.receipts ?? null }
}
