import { type JsonObject, parseJsonObject } from "../../canon/json.ts"
import type { ReceivedEvent } from "../../wire/frames.ts"

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

/** A received event. If it is long, it has already been read. */
export interface ReadEvent extends ReceivedEvent {
  readonly content?: EventContent
}

/** Parses the object in an event, unless it has already been parsed. Returns undefined for any other data. */
export function objectOf({ content, data }: ReadEvent): JsonObject | undefined {
  return content === undefined ? parseJsonObject(data) : content.json
}
