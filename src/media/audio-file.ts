import type { FormFile } from "../canon/form-file.ts"
import { StoredFile } from "./stored-file.ts"
import { GatewayError } from "../canon/errors.ts"
import type { Audio, AudioContainer } from "../canon/transcription.ts"
import { audioContainer } from "./audio-container.ts"
import { claimedSeconds } from "./audio-claim.ts"
import { waveBytesPerSecond } from "./audio-tokens.ts"

/** The first bytes of the file that are inspected. */
const HEAD = 64 * 1024

/** A WAV file starts with at least this many bytes that are not samples. */
const WAVE_HEADER = 44

/** The bytes that a second of audio can take. */
interface Density {
  readonly min: number
  readonly max: number
  /** Of speech as it is usually sent: the guess where the file does not say. */
  readonly typical: number
}

/**
 * MP3 ranges from 8 to 320 kbit/s (ISO 11172-3 and 13818-3); Opus starts at 6 kbit/s (RFC 6716); containers
 * that can hold video (MP4, WebM, MPEG) and lossless ones are bounded by 96 kHz, two channels, three bytes.
 */
const LOSSLESS = 576_000
const DENSITIES: Readonly<Record<AudioContainer, Density>> = {
  flac: { min: 1_000, max: LOSSLESS, typical: 60_000 },
  mp3: { min: 1_000, max: 40_000, typical: 16_000 },
  mp4: { min: 750, max: LOSSLESS, typical: 16_000 },
  mpeg: { min: 1_000, max: LOSSLESS, typical: 40_000 },
  ogg: { min: 750, max: LOSSLESS, typical: 8_000 },
  wav: { min: 1_000, max: LOSSLESS, typical: 32_000 },
  webm: { min: 750, max: LOSSLESS, typical: 8_000 },
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

/** Audio of which only the start has been inspected. */
export type AudioHead = Omit<Audio, "seconds">

/**
 * Inspects the start of an audio file: its container, and how long it can be.
 * @throws GatewayError `invalid_audio`.
 */
export async function readAudioHead(file: FormFile): Promise<AudioHead> {
  const { container, even } = await see(file)
  const maxSeconds = even?.seconds ?? file.size / DENSITIES[container].min
  return { container, mediaType: MEDIA_TYPES[container], file, maxSeconds }
}

/**
 * Inspects an audio file: its container, by its content and never by its name, and its length. The length in
 * its header counts only within what its bytes allow, since it is billed.
 * @throws GatewayError `invalid_audio`.
 */
export async function readAudio(file: FormFile): Promise<Audio> {
  const { container, even } = await see(file)
  const mediaType = MEDIA_TYPES[container]
  if (even) return { container, mediaType, file, seconds: even.seconds, maxSeconds: even.seconds }
  const { min, max, typical } = DENSITIES[container]
  const claimed = (await claimedSeconds(file, mediaType)) ?? file.size / typical
  const maxSeconds = file.size / min
  const seconds = Math.min(maxSeconds, Math.max(file.size / max, claimed))
  return { container, mediaType, file, seconds, maxSeconds }
}

/** A description of audio that is not sent. */
export interface DescribedAudio {
  readonly container: AudioContainer
  readonly bytes: number
  /** Its duration, if known. */
  readonly seconds?: number | undefined
}

/** Described audio, bounded like audio that was sent, and without content. */
export function describedAudio({ container, bytes, seconds }: DescribedAudio): Audio {
  const mediaType = MEDIA_TYPES[container]
  const empty = { size: bytes, read: async () => new Uint8Array() }
  const file = new StoredFile({ field: "file", name: `sound.${container}`, type: mediaType }, empty)
  // Every second of a WAV file has the same number of bytes, so they give its length.
  if (container === "wav" && seconds !== undefined) {
    return { container, mediaType, file, seconds, maxSeconds: seconds }
  }
  const { min, typical } = DENSITIES[container]
  const maxSeconds = bytes / min
  const reported = Math.min(maxSeconds, seconds ?? bytes / typical)
  return { container, mediaType, file, seconds: reported, maxSeconds }
}

/** What its start says; for audio with a constant number of bytes per second, its length too. */
interface Seen {
  readonly container: AudioContainer
  readonly even: { readonly seconds: number } | undefined
}

async function see(file: FormFile): Promise<Seen> {
  const head = await file.head(HEAD)
  const container = audioContainer(head)
  if (container === undefined) throw notAudio(file)
  const bytes = container === "wav" ? waveBytesPerSecond(head) : undefined
  const even =
    bytes === undefined ? undefined : { seconds: Math.max(0, file.size - WAVE_HEADER) / bytes }
  return { container, even }
}

function notAudio({ field, size }: FormFile): GatewayError {
  const message =
    size === 0
      ? "The audio file is empty."
      : "The file is not audio that can be read, whatever its name says. " +
        "Formats: flac, mp3, mp4, mpeg, mpga, m4a, ogg, wav and webm."
  return new GatewayError("invalid_audio", message, { parameter: field })
}
