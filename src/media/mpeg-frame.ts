/** A frame of MPEG audio, as described by its header. */
export interface AudioFrame {
  /** Size of the frame in bytes, including its header. */
  readonly bytes: number
  readonly seconds: number
}

/**
 * Bit rates in kbit/s by index, for layers I to III in MPEG-1 and in MPEG-2 (ISO 11172-3, 2.4.2.3;
 * 13818-3).
 */
const RATES_1 = [
  [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
] as const
const LOW_RATES = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160] as const
const RATES_2 = [
  [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  LOW_RATES,
  LOW_RATES,
] as const
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const

/** Reads the first three bytes of a frame of MPEG audio; undefined if they are not a header. */
export function mpegFrame(sync: number, kind: number, rates: number): AudioFrame | undefined {
  if (sync !== 0xff || kind < 0xe0) return undefined
  const version = (kind >> 3) & 3
  const layer = 4 - ((kind >> 1) & 3)
  // Version 1 is reserved. Layer 0 in the file, which becomes 4 here, means AAC instead of MPEG audio.
  if (version === 1 || layer === 4) return undefined
  const isFirst = version === 3
  const kilobits = (isFirst ? RATES_1 : RATES_2)[layer - 1]?.[(rates >> 4) - 1]
  const base = SAMPLE_RATES[(rates >> 2) & 3]
  if (kilobits === undefined || base === undefined) return undefined
  const sampleRate = base / (isFirst ? 1 : version === 2 ? 2 : 4)
  const padding = (rates >> 1) & 1
  if (layer === 1) {
    const bytes = (Math.floor((12_000 * kilobits) / sampleRate) + padding) * 4
    return { bytes, seconds: 384 / sampleRate }
  }
  const samples = layer === 3 && !isFirst ? 576 : 1_152
  const bytes = Math.floor((samples * 125 * kilobits) / sampleRate) + padding
  return { bytes, seconds: samples / sampleRate }
}
