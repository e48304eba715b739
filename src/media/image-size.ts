/** Width and height of an image, in pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/**
 * Reads the size of an image from its first bytes. Returns undefined for formats that store it
 * elsewhere (AVIF, HEIC, TIFF) and for all other data.
 */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const size = readSize(view)
    return size && size.width > 0 && size.height > 0 ? size : undefined
  } catch (error) {
    // A read beyond the end means that the image is truncated or that its header is invalid.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const PNG = 0x89504e47
const GIF = 0x47494638
const RIFF = 0x52494646
const WEBP = 0x57454250
const IHDR = 0x49484452
const BMP = 0x424d
const JPEG_START = 0xffd8

function readSize(view: DataView): ImageSize | undefined {
  const magic = view.getUint32(0)
  if (magic === PNG && view.getUint32(12) === IHDR) {
    return { width: view.getUint32(16), height: view.getUint32(20) }
  }
  if (magic === GIF) return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
  if (magic === RIFF && view.getUint32(8) === WEBP) return webpSize(view)
  if (view.getUint16(0) === BMP) return bmpSize(view)
  if (view.getUint16(0) === JPEG_START) return jpegSize(view)
  return undefined
}

/**
 * Reads the size of a BMP. The older header has two bytes for each side. A negative height means that rows are stored
 * from top to bottom.
 */
function bmpSize(view: DataView): ImageSize {
  if (view.getUint32(14, true) === 12) {
    return { width: view.getUint16(18, true), height: view.getUint16(20, true) }
  }
  return { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) }
}

const VP8X = 0x56503858
const VP8L = 0x5650384c
const VP8 = 0x56503820

/** Reads the size of a WebP image (RFC 9649, sections 2.7 and 3; RFC 6386, section 9.1). */
function webpSize(view: DataView): ImageSize | undefined {
  const chunk = view.getUint32(12)
  if (chunk === VP8X) return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 }
  if (chunk === VP8L && view.getUint8(20) === 0x2f) {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (chunk === VP8) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  }
  return undefined
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000
}

/** Finds the frame header of a JPEG (ITU T.81, B.2.2), segment by segment. Each segment advances the position. */
function jpegSize(view: DataView): ImageSize | undefined {
  let at = 2
  while (at < view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (isFrameHeader(marker)) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    }
    // This is a fill byte, or a marker without a segment.
    if (marker === 0xff) at += 1
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2
    else at += 2 + Math.max(2, view.getUint16(at + 2))
  }
  return undefined
}

/** Reports whether a marker is SOF0 to SOF15. Three markers in that range have other meanings and are excluded. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}
