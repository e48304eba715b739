import type { SseFrame } from "../../canon/dialect.ts"
import { formatData, formatEvent } from "../../wire/sse.ts"

/** How much is written in one turn of the event loop. Characters. */
const SLICE_LENGTH = 128 * 1024

/** Long frames, which are written in slices, and the frames behind them. */
export class TextBacklog {
  #frames: SseFrame[] = []
  #pieces: Iterator<string, undefined> | undefined

  get isEmpty(): boolean {
    return this.#frames.length === 0
  }

  add(frame: SseFrame): void {
    this.#frames.push(frame)
  }

  /** The next slice. @param length its characters, or a few more; fewer only at the end. */
  take(length = SLICE_LENGTH): string {
    this.#pieces ??= piecesOf(this.#frames)
    let text = ""
    while (text.length < length) {
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

  /** All that is left. */
  takeAll(): string {
    return this.isEmpty ? "" : this.take(Infinity)
  }
}

/** The text of frames in pieces. Frames that are added to a list meanwhile are written too. */
export function* piecesOf(frames: Iterable<SseFrame>): Generator<string, undefined> {
  for (const frame of frames) {
    if (frame.pieces === undefined) yield formatEvent(frame)
    else yield* formatData(frame.event, frame.pieces())
  }
}
