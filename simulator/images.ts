/** Facts about an image, read from its first bytes. */
export interface ImageFacts {
  readonly kind: string
  readonly width: number
  readonly height: number
}

// Length of base64 that is read from an image. It is enough to contain the size of a JPEG even after a large preview,
// and a multiple of 4, so that the base64 stays valid.
const MAX_HEADER_LENGTH = 262_144

/** Returns the kind and size of the image in a `data:` address; undefined for any other address. */
export function readDataAddress(address: string): ImageFacts | undefined {
  const comma = address.indexOf(",")
  if (!address.startsWith("data:") || comma === -1) return undefined
  return readBase64(address.slice(comma + 1, comma + 1 + MAX_HEADER_LENGTH))
}

/** Returns the kind and size of an image in base64; undefined if it is not an image. */
export function readBase64(encoded: string): ImageFacts | undefined {
  return readImage(Buffer.from(encoded.slice(0, MAX_HEADER_LENGTH), "base64"))
}

/** Returns the text that replaces an image in a prompt. */
export function describeImage(facts: ImageFacts | undefined): string {
  return facts === undefined ? "[image]" : `[image ${facts.width}x${facts.height} ${facts.kind}]`
}

function readImage(bytes: Buffer): ImageFacts | undefined {
  if (bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47) {
    return { kind: "png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  }
  if (bytes.length >= 10 && bytes.toString("latin1", 0, 4) === "GIF8") {
    return { kind: "gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  }
  if (bytes.length >= 30 && bytes.toString("latin1", 8, 12) === "WEBP") return readWebp(bytes)
  if (bytes.length >= 4 && bytes.readUInt16BE(0) === 0xffd8) return readJpeg(bytes)
  return undefined
}

function readWebp(bytes: Buffer): ImageFacts {
  const kind = "webp"
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { kind, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    case "VP8L": {
      const packed = bytes.readUInt32LE(21)
      return { kind, width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 }
    }
    default: {
      const width = bytes.readUInt16LE(26) & 0x3fff
      return { kind, width, height: bytes.readUInt16LE(28) & 0x3fff }
    }
  }
}

function readJpeg(bytes: Buffer): ImageFacts | undefined {
  let position = 2
  while (position + 9 <= bytes.length && bytes[position] === 0xff) {
    const marker = bytes[position + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) {
      const height = bytes.readUInt16BE(position + 5)
      return { kind: "jpeg", width: bytes.readUInt16BE(position + 7), height }
    }
    position += 2 + bytes.readUInt16BE(position + 2)
  }
  return undefined
}

const TILE_TOKENS = 170
const BASE_TOKENS = 85
const UNKNOWN_SIDE = 1024

/**
 * Returns the tokens of an image by OpenAI's tile rule. The image is fitted into 2,048 pixels, its shorter side is
 * scaled to 768, and tiles of 512 are counted.
 */
export function imageTokens(facts: ImageFacts | undefined, detail: string): number {
  if (detail === "low") return BASE_TOKENS
  let width = facts?.width ?? UNKNOWN_SIDE
  let height = facts?.height ?? UNKNOWN_SIDE
  const fit = Math.min(1, 2048 / Math.max(width, height, 1))
  const shrink = Math.min(1, 768 / Math.max(Math.min(width, height) * fit, 1))
  width *= fit * shrink
  height *= fit * shrink
  return BASE_TOKENS + TILE_TOKENS * Math.ceil(width / 512) * Math.ceil(height / 512)
}

const AREA_PER_TOKEN = 750

/**
 * Returns the tokens of an image by Anthropic's rule: its area divided by 750. An image of unknown size counts as a
 * square of 1,024 pixels.
 */
export function areaTokens(facts: ImageFacts | undefined): number {
  const { width, height } = facts ?? { width: UNKNOWN_SIDE, height: UNKNOWN_SIDE }
  return Math.max(1, Math.ceil((width * height) / AREA_PER_TOKEN))
}
