/** Milliseconds per frame for each configuration of a packet in the SILK, hybrid and CELT modes (RFC 6716, 3.1). */
const SILK = [10, 20, 40, 60] as const
const HYBRID = [10, 20] as const
const CELT = [2.5, 5, 10, 20] as const

/** Minimum duration of a packet (RFC 6716, 2.1.4). */
export const MIN_PACKET_SECONDS = 0.0025

/** Maximum duration of a packet (RFC 6716, 3.2.5). */
export const MAX_PACKET_SECONDS = 0.12

/**
 * Returns the duration of an Opus packet in seconds.
 * @param count the second byte, which contains the number of frames in some packets.
 */
export function opusSeconds(toc: number, count: number): number {
  const configuration = toc >> 3
  const milliseconds =
    configuration < 12
      ? SILK[configuration & 3]
      : configuration < 16
        ? HYBRID[configuration & 1]
        : CELT[configuration & 3]
  const code = toc & 3
  const frames = code === 0 ? 1 : code === 3 ? count & 63 : 2
  return Math.min(MAX_PACKET_SECONDS, ((milliseconds ?? 60) * frames) / 1_000)
}
