import { checksum, joined } from "./bytes.ts"

/** Number of samples in a packet of 20 ms at Opus' internal sample rate. */
const PACKET = 960
const PACKETS_PER_PAGE = 50
/** A packet of silence: CELT, full band, 20 ms (RFC 6716). */
const SILENCE = Uint8Array.of(0xf8, 0xff, 0xfe)
const SERIAL = 0x746f6c6c

/** Returns silence as Opus in Ogg (RFC 7845). */
export function opus(seconds: number): Uint8Array[] {
  const packets = Math.max(1, Math.ceil(seconds / 0.02))
  const head = Buffer.alloc(19)
  head.write("OpusHead")
  head.writeUInt8(1, 8)
  head.writeUInt8(1, 9)
  head.writeUInt32LE(24_000, 12)
  const tags = Buffer.alloc(20)
  tags.write("OpusTags")
  tags.writeUInt32LE(4, 8)
  tags.write("tone", 12)
  const pages = [
    page(0, { flags: 2, granule: 0, packets: [head] }),
    page(1, { flags: 0, granule: 0, packets: [tags] }),
  ]
  for (let at = 0; at < packets; at += PACKETS_PER_PAGE) {
    const count = Math.min(PACKETS_PER_PAGE, packets - at)
    const isLast = at + count === packets
    const silence = Array.from({ length: count }, () => SILENCE)
    const granule = (at + count) * PACKET
    pages.push(page(pages.length, { flags: isLast ? 4 : 0, granule, packets: silence }))
  }
  return pages
}

interface Page {
  readonly flags: number
  readonly granule: number
  readonly packets: readonly Uint8Array[]
}

/** Returns one page (RFC 3533). Each packet is short enough for a single lacing value. */
function page(number: number, { flags, granule, packets }: Page): Uint8Array {
  const head = Buffer.alloc(27)
  head.write("OggS")
  head.writeUInt8(flags, 5)
  head.writeBigUInt64LE(BigInt(granule), 6)
  head.writeUInt32LE(SERIAL, 14)
  head.writeUInt32LE(number, 18)
  head.writeUInt8(packets.length, 26)
  const laces = Uint8Array.from(packets, (packet) => packet.byteLength)
  const whole = Buffer.from(joined([head, laces, ...packets]))
  whole.writeUInt32LE(checksum(whole, 0x04c11db7, 32), 22)
  return whole
}
