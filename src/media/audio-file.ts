import type { FormFile } from "../canon/form-file.ts"
import { StoredFile } from "./stored-file.ts"
import { GatewayError } from "../canon/errors.ts"
import type { Audio, AudioContainer } from "../canon/transcription.ts"
import { audioContainer } from "./audio-container.ts"
import { MAX_AUDIO_SECONDS } from "./audio-tokens.ts"
import type { Duration } from "./measure/duration.ts"
import { PROBED_BYTES, waveDuration } from "./wave-duration.ts"

/** Number of leading bytes that are inspected while a file is still arriving. */
const INSPECTED_BYTES = 64 * 1024

/** Bytes per second of audio in a container. */
interface Density {
  /** Bytes per second at the lowest bit rate of speech, for files whose frames cannot be counted yet. */
  readonly min: number
  /** Bytes per second at the usual bit rate of speech. */
  readonly typical: number
}

/** The lowest rate of MP3 is 8 kbit/s (ISO 11172-3 and 13818-3), and the lowest rate of Opus is 6 kbit/s (RFC 6716). */
const DENSITIES: Readonly<Record<AudioContainer, Density>> = {
  flac: { min: 1_000, typical: 60_000 },
  mp3: { min: 1_000, typical: 16_000 },
  mp4: { min: 750, typical: 16_000 },
  mpeg: { min: 1_000, typical: 40_000 },
  ogg: { min: 750, typical: 8_000 },
  wav: { min: 1_000, typical: 32_000 },
  webm: { min: 750, typical: 8_000 },
}

/** Lowest bytes per second of speech in any container. */
const MIN_BYTES_PER_SECOND = Math.min(...Object.values(DENSITIES).map(({ min }) => min))

/** Returns the maximum duration in seconds of audio of this size, regardless of its headers. */
export function possibleSeconds({ file, maxSeconds }: Pick<Audio, "file" | "maxSeconds">): number {
  return Math.max(maxSeconds, Math.min(MAX_AUDIO_SECONDS, file.size / MIN_BYTES_PER_SECOND))
}

const MEDIA_TYPES: Readonly<Record<AudioContainer, string>> = {
  flac: "audio/flac",
  mp3: "audio/mpeg",
  mp4: "audio/mp4",
  mpeg: "video/mpeg",
  ogg: "audio/ogg",
  wav: "audio/wav",
  webm: "audio/webm",
}

/** The properties of audio that are known from the start of its file. */
export type AudioHead = Omit<Audio, "seconds">

/**
 * Inspects the start of an audio file, and returns its container and maximum duration.
 * @throws GatewayError `invalid_audio`.
 */
export async function readAudioHead(file: FormFile): Promise<AudioHead> {
  const { container, even } = await inspect(file, INSPECTED_BYTES)
  const maxSeconds = even?.maxSeconds ?? file.size / DENSITIES[container].min
  return { container, mediaType: MEDIA_TYPES[container], file, maxSeconds }
}

/**
 * Inspects an audio file. The container is detected by content and never by name. The duration is
 * measured by frames and timestamps, because it is billed.
 * @param durationOf measures the file.
 * @throws GatewayError `invalid_audio`.
 */
export async function readAudio(
  file: FormFile,
  durationOf: (file: FormFile) => Promise<Duration | undefined>,
): Promise<Audio> {
  const { container, even } = await inspect(file, PROBED_BYTES)
  const mediaType = MEDIA_TYPES[container]
  const { min } = DENSITIES[container]
  const { seconds, maxSeconds } = even ??
    (await durationOf(file)) ?? {
      seconds: file.size / min,
      maxSeconds: Math.max(MAX_AUDIO_SECONDS, file.size / min),
    }
  return { container, mediaType, file, seconds, maxSeconds }
}

/** A description of audio without its bytes. */
export interface DescribedAudio {
  readonly container: AudioContainer
  readonly bytes: number
  /** The duration in seconds, if known. */
  readonly seconds?: number | undefined
}

/** Creates audio without content from a description, bounded like real audio. */
export function describedAudio({ container, bytes, seconds }: DescribedAudio): Audio {
  const mediaType = MEDIA_TYPES[container]
  const empty = { size: bytes, read: async () => new Uint8Array() }
  const file = new StoredFile({ field: "file", name: `sound.${container}`, type: mediaType }, empty)
  if (seconds !== undefined) return { container, mediaType, file, seconds, maxSeconds: seconds }
  const { min, typical } = DENSITIES[container]
  return { container, mediaType, file, seconds: bytes / typical, maxSeconds: bytes / min }
}

/** The container of an audio file, and its duration if each second has the same number of bytes. */
interface InspectedAudio {
  readonly container: AudioContainer
  readonly even: Duration | undefined
}

async function inspect(file: FormFile, bytes: number): Promise<InspectedAudio> {
  const head = await file.head(bytes)
  const container = audioContainer(head)
  if (container === undefined) throw notAudio(file)
  const even = container === "wav" ? waveDuration(head, file.size) : undefined
  return { container, even }
}

function notAudio({ field, size }: FormFile): GatewayError {
  const message =
    size === 0
      ? "The audio file is empty."
      : "The file is not readable audio, regardless of its name. " +
        "Formats: flac, mp3, mp4, mpeg, mpga, m4a, ogg, wav and webm."
  return new GatewayError("invalid_audio", message, { parameter: field })
}
