import type { SseFrame } from "../../canon/dialect.ts"
import { piecesOfString } from "../../canon/sliced-json-text.ts"
import { formatData, formatEvent } from "../../wire/sse.ts"

/** Maximum characters that are written in one turn of the event loop. */
const SLICE_LENGTH = 128 * 1024

/** Queues long frames, which are written in slices, and the frames after them. */
export class TextBacklog {
  #frames: Iterable<SseFrame>[] = []
  #pieces: Iterator<string, undefined> | undefined

  get isEmpty(): boolean {
    return this.#frames.length === 0
  }

  /** @param frames may be created while they are read. */
  add(frames: Iterable<SseFrame>): void {
    this.#frames.push(frames)
  }

  /** Returns the text of a frame. A long frame, and each frame after it, is queued instead. */
  text(frame: SseFrame): string {
    if (this.isEmpty && !isLongFrame(frame)) return formatEvent(frame)
    this.add([frame])
    return ""
  }

  /** Returns the text of several frames. */
  textOf(frames: readonly SseFrame[]): string {
    let text = ""
    for (const frame of frames) text += this.text(frame)
    return text
  }

  /** Returns the next slice of the text. */
  take(): string {
    this.#pieces ??= piecesOf(allOf(this.#frames))
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

function isLongFrame(frame: SseFrame): boolean {
  return frame.pieces !== undefined || frame.data.length > SLICE_LENGTH
}

/** Yields the frames of all lists, including lists that are added while the frames are read. */
function* allOf(lists: Iterable<Iterable<SseFrame>>): Generator<SseFrame, undefined> {
  for (const frames of lists) yield* frames
}

/** Yields the text of frames in pieces. */
export function* piecesOf(frames: Iterable<SseFrame>): Generator<string, undefined> {
  for (const frame of frames) {
    if (!isLongFrame(frame)) yield formatEvent(frame)
    else yield* formatData(frame.event, dataOf(frame))
  }
}

function dataOf(frame: SseFrame): Iterable<string> {
  return frame.pieces?.() ?? piecesOfString(frame.data, SLICE_LENGTH)
}
