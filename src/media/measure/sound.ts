import { audioContainer } from "../audio-container.ts"
import type { ByteReader } from "./byte-reader.ts"
import type { Duration } from "./duration.ts"
import { flacDuration } from "./flac.ts"
import { adtsDuration, mp3Duration } from "./frames.ts"
import { mp4Duration } from "./mp4.ts"
import { mpegDuration } from "./mpeg-program.ts"
import { oggDuration } from "./ogg.ts"
import { PROBED_BYTES, waveDuration } from "../wave-duration.ts"
import { webmDuration } from "./webm.ts"

/**
 * Returns the duration of audio or video, by its content.
 * @returns undefined if the content is neither, or if its duration cannot be determined.
 */
export function durationOf(reader: ByteReader): Duration | undefined {
  const head = reader.slice(0, PROBED_BYTES)
  switch (audioContainer(head)) {
    case "flac":
      return flacDuration(reader)
    case "mp3":
      // AAC may also follow a tag.
      return mp3Duration(reader) ?? adtsDuration(reader)
    case "mp4":
      return mp4Duration(reader)
    case "mpeg":
      return mpegDuration(reader)
    case "ogg":
      return oggDuration(reader)
    case "webm":
      return webmDuration(reader)
    case "wav":
      return waveDuration(head, reader.size)
    case undefined:
      // Chats also accept AIFF, and AAC without a container.
      return waveDuration(head, reader.size) ?? adtsDuration(reader)
  }
}
