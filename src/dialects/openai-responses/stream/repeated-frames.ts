import type { SseFrame } from "../../../canon/dialect.ts"

/**
 * Finds the frames of one stream that come twice in a row. Their numbers tell them from content that repeats itself, which
 * has a number of its own each time; without numbers only what is no content is a repetition
 * (docs/wire/openai-responses.md#f7).
 */
export function findRepeated(): (frame: SseFrame) => boolean {
  let last: string | undefined
  return ({ data, json }) => {
    const isSame = data === last
    last = data
    if (!isSame || json === undefined) return false
    // A vendor that does not count may number all of its frames with 0.
    return json.delta === undefined || Number(json.sequence_number) > 0
  }
}
