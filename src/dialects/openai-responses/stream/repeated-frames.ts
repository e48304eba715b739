import type { SseFrame } from "../../../canon/dialect.ts"

/**
 * Finds frames of one stream that arrive twice in a row. A sequence number identifies a frame, so repeated content has
 * a different number. Without numbers, only frames without content can be repetitions
 * (docs/contribute/wire/openai-responses.md#f7).
 */
export function findRepeated(): (frame: SseFrame) => boolean {
  let last: string | undefined
  return ({ data, json }) => {
    const isSame = data === last
    last = data
    if (!isSame || json === undefined) return false
    // A vendor that does not number its frames may send 0 for all of them.
    return json.delta === undefined || Number(json.sequence_number) > 0
  }
}
