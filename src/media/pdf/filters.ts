import { constants, inflateSync } from "node:zlib"
import {
  isDictionary,
  isList,
  nameOf,
  type PdfDictionary,
  type PdfValue,
  UnreadablePdf,
} from "./syntax.ts"

/**
 * Maximum bytes of one unpacked stream, and of all data that is read and unpacked from a document.
 */
const MAX_STREAM_BYTES = 32 * 1024 * 1024
export const MAX_TOTAL_BYTES = 160 * 1024 * 1024

/**
 * Unpacks the content of a stream.
 * @param resolve returns the value that a reference refers to.
 * @throws UnreadablePdf if the content is damaged, too large, or packed in a way that is rare for text.
 */
export function unpack(
  dictionary: PdfDictionary,
  packed: Uint8Array,
  resolve: (value: PdfValue) => PdfValue,
): Uint8Array {
  const filters = listOf(resolve(dictionary.get("Filter") ?? dictionary.get("F"))).map(resolve)
  const settings = resolve(dictionary.get("DecodeParms") ?? dictionary.get("DP"))
  if (listOf(settings).some((one) => hasPredictor(resolve(one)))) throw new UnreadablePdf()
  return filters.reduce<Uint8Array>((bytes, filter) => applyFilter(nameOf(filter), bytes), packed)
}

function applyFilter(name: string | undefined, bytes: Uint8Array): Uint8Array {
  switch (name) {
    case "FlateDecode":
    case "Fl":
      return inflate(bytes)
    case "ASCIIHexDecode":
    case "AHx":
      return fromHex(bytes)
    case "ASCII85Decode":
    case "A85":
      return fromAscii85(bytes)
    default:
      throw new UnreadablePdf()
  }
}

function inflate(bytes: Uint8Array): Uint8Array {
  try {
    const finishFlush = constants.Z_SYNC_FLUSH
    return inflateSync(bytes, { finishFlush, maxOutputLength: MAX_STREAM_BYTES })
  } catch {
    throw new UnreadablePdf()
  }
}

function fromHex(bytes: Uint8Array): Uint8Array {
  const [text = ""] = Buffer.from(bytes).toString("latin1").split(">", 1)
  return Buffer.from(`${text.replaceAll(/[^\da-f]/gi, "")}0`, "hex")
}

/** Decodes ASCII85, in which five characters encode four bytes (ISO 32000-1, 7.4.3). */
function fromAscii85(bytes: Uint8Array): Uint8Array {
  const unpacked: number[] = []
  let group: number[] = []
  const flush = (): void => {
    const length = group.length - 1
    while (group.length < 5) group.push(84)
    const value = group.reduce((sum, digit) => sum * 85 + digit, 0)
    for (let index = 0; index < length; index++) {
      unpacked.push(Math.floor(value / 256 ** (3 - index)) & 0xff)
    }
    group = []
  }
  for (const byte of bytes) {
    if (byte === 0x7e) break
    if (byte === 0x7a && group.length === 0) unpacked.push(0, 0, 0, 0)
    else if (byte >= 0x21 && byte <= 0x75) group.push(byte - 0x21)
    if (group.length === 5) flush()
  }
  if (group.length > 1) flush()
  return Uint8Array.from(unpacked)
}

function hasPredictor(settings: PdfValue): boolean {
  if (!isDictionary(settings)) return false
  const predictor = settings.get("Predictor")
  return predictor !== undefined && predictor !== 1
}

/** Returns the values of a list, or a single value as a list. */
export function listOf(value: PdfValue): readonly PdfValue[] {
  if (value === undefined) return []
  return isList(value) ? value : [value]
}
