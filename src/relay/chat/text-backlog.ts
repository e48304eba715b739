import type { SseFrame } from "../../canon/dialect.ts"
import { formatData, formatEvent } from "../../wire/sse.ts"

/** Maximum characters that are written in one turn of the event loop. */
const SLICE_LENGTH = 128 * 1024

/** Queues long frames, which are written in slices, and the frames after them. */
export class TextBacklog {
  #frames: SseFrame[] = []
  #pieces: Iterator<string, undefined> | undefined

  get isEmpty(): boolean {
    return this.#frames.length === 0
  }

  add(frame: SseFrame): void {
    this.#frames.push(frame)
  }

  /** Returns the next slice of the text. */
  take(): string {
    this.#pieces ??= piecesOf(this.#frames)
    let text = ""
    while (text.length < SLICE_LENGTH) {
      const piece = this.#pieces.next().value
      if (piece === undefined) {
        this.#frames = []
        this.#pieces = undefined
        break
      }
      text += piece
    }
    return text
  }
}

/** Yields the text of frames in pieces, including frames that are added to the list while it is read. */
export function* piecesOf(frames: Iterable<SseFrame>): Generator<string, undefined> {
  for (const frame of frames) {
    if (frame.pieces === undefined) yield formatEvent(frame)
    else yield* formatData(frame.event, frame.pieces())
  }
}
