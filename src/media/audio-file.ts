import type { FormFile } from "../canon/form-file.ts"
import { StoredFile } from "./stored-file.ts"
import { GatewayError } from "../canon/errors.ts"
import type { Audio, AudioContainer } from "../canon/transcription.ts"
import { audioContainer } from "./audio-container.ts"
import { claimedSeconds } from "./audio-claim.ts"
import { waveBytesPerSecond } from "./audio-tokens.ts"

/** The file is looked at from its beginning up to here, in bytes. */
const HEAD = 64 * 1024

/** A WAV file begins with at least so many bytes that are no samples. */
const WAVE_HEADER = 44

/** What a second of sound can take, in bytes. */
interface Density {
  readonly min: number
  readonly max: number
  /** Of speech as it is usually sent: the guess where the file says nothing. */
  readonly usual: number
}

/**
 * MP3 goes from 8 to 320 kbit/s (ISO 11172-3 and 13818-3); Opus begins at 6 kbit/s (RFC 6716); what can
 * hold images too (MP4, WebM, MPEG) or is lossless is bounded by 96 kHz, two channels, three bytes.
 */
const LOSSLESS = 576_000
const DENSITIES: Readonly<Record<AudioContainer, Density>> = {
  flac: { min: 1_000, max: LOSSLESS, usual: 60_000 },
  mp3: { min: 1_000, max: 40_000, usual: 16_000 },
  mp4: { min: 750, max: LOSSLESS, usual: 16_000 },
  mpeg: { min: 1_000, max: LOSSLESS, usual: 40_000 },
  ogg: { min: 750, max: LOSSLESS, usual: 8_000 },
  wav: { min: 1_000, max: LOSSLESS, usual: 32_000 },
  webm: { min: 750, max: LOSSLESS, usual: 8_000 },
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

/** A sound of which only the beginning has been looked at. */
export type AudioHead = Omit<Audio, "seconds">

/**
 * Looks at the beginning of a sound: what it is, and how long it can be.
 * @throws GatewayError `invalid_audio`.
 */
export async function readAudioHead(file: FormFile): Promise<AudioHead> {
  const { container, even } = await see(file)
  const maxSeconds = even?.seconds ?? file.size / DENSITIES[container].min
  return { container, mediaType: MEDIA_TYPES[container], file, maxSeconds }
}

/**
 * Looks at a sound: what it is, by its content and never by its name, and how long. What its header says
 * of the length counts only within what its bytes allow, since it is billed by.
 * @throws GatewayError `invalid_audio`.
 */
export async function readAudio(file: FormFile): Promise<Audio> {
  const { container, even } = await see(file)
  const mediaType = MEDIA_TYPES[container]
  if (even) return { container, mediaType, file, seconds: even.seconds, maxSeconds: even.seconds }
  const { min, max, usual } = DENSITIES[container]
  const claimed = (await claimedSeconds(file, mediaType)) ?? file.size / usual
  const maxSeconds = file.size / min
  const seconds = Math.min(maxSeconds, Math.max(file.size / max, claimed))
  return { container, mediaType, file, seconds, maxSeconds }
}

/** What someone says of a sound that is not here. */
export interface DescribedAudio {
  readonly container: AudioContainer
  readonly bytes: number
  /** As long as it is, where that is known. */
  readonly seconds?: number | undefined
}

/** A sound as its description has it, bounded as one that is here: with nothing in it. */
export function describedAudio({ container, bytes, seconds }: DescribedAudio): Audio {
  const mediaType = MEDIA_TYPES[container]
  const empty = { size: bytes, read: async () => new Uint8Array() }
  const file = new StoredFile({ field: "file", name: `sound.${container}`, type: mediaType }, empty)
  // Every second of a wave file has as many bytes, so its length is known from them.
  if (container === "wav" && seconds !== undefined) {
    return { container, mediaType, file, seconds, maxSeconds: seconds }
  }
  const { min, usual } = DENSITIES[container]
  const maxSeconds = bytes / min
  const reported = Math.min(maxSeconds, seconds ?? bytes / usual)
  return { container, mediaType, file, seconds: reported, maxSeconds }
}

/** What its beginning says; of a sound whose every second has as many bytes that is its length, too. */
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
