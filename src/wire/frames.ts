import { type JsonObject, parseJsonObject } from "../canon/json.ts"

/** The content of a long event, which was read in slices. */
export interface EventContent {
  /** The number of lists, objects and members. */
  readonly values: number
  /** Whether parsing would take too long. */
  readonly isTooHeavy: boolean
  /** Whether the content is a complete value that is nested too deeply or has too many members. */
  readonly isTooComplex: boolean
  /** The members that report the usage. */
  readonly usageMembers: JsonObject
  /** The parsed object; undefined for any other content and for an object that is not parsed. */
  readonly json: JsonObject | undefined
}

/** One frame of a stream as it was received. */
export interface ReceivedEvent {
  readonly event?: string
  readonly data: string
  /** Present if the event is long. */
  readonly content?: EventContent
}

/** Parses the object in an event, unless it has already been parsed. Returns undefined for any other data. */
export function objectOf({ content, data }: ReceivedEvent): JsonObject | undefined {
  return content === undefined ? parseJsonObject(data) : content.json
}

/** Thrown for a frame above the maximum length. The stream may contain valid frames after it. */
export class FrameTooLong extends Error {
  override readonly name = "FrameTooLong"
}

/** Parses bytes to frames, regardless of chunk boundaries. */
export interface FrameParser {
  /** Returns the frames that the given bytes complete. An incomplete frame is buffered. */
  push(bytes: Uint8Array): readonly ReceivedEvent[]
  /** Returns the frames that end with the stream. */
  end(): readonly ReceivedEvent[]
}

/** Counts the bytes of long frames against the memory budget. If it throws, reading ends. */
export interface FrameMemory {
  takeAnswer(bytes: number): void
  give(bytes: number): void
}
