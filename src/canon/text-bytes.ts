/** The growth of each code point in bytes when it is normalized, plus one; 0 if it has not been computed. */
const growths = new Uint8Array(0x11_00_00)

/**
 * Returns the maximum number of tokens of a text, which is its size in bytes. Some tokenizers normalize the text first,
 * so the result is the larger size of the text and its normal forms. U+FDFA has 3 bytes, and 33 after normalization.
 */
export function maxTextTokens(text: string): number {
  return Buffer.byteLength(text) + normalizationGrowth(text)
}

/**
 * Returns the maximum growth in bytes of a text by normalization (NFC or NFKC), computed in one pass. ASCII does not
 * grow.
 */
export function normalizationGrowth(text: string): number {
  if (Buffer.byteLength(text) === text.length) return 0
  let growth = 0
  for (let index = 0; index < text.length; index++) {
    let code = text.charCodeAt(index)
    if (code < 0x80) continue
    if (code >= 0xd8_00 && code <= 0xdb_ff) {
      code = text.codePointAt(index) ?? code
      if (code > 0xff_ff) index++
    }
    growth += (growths[code] || lookUp(code)) - 1
  }
  return growth
}

function lookUp(code: number): number {
  // Normalizes single characters only, because the time of `normalize` grows with the square of the length of a run of
  // combining marks.
  const character = String.fromCodePoint(code)
  const normalized = Math.max(
    Buffer.byteLength(character.normalize("NFC")),
    Buffer.byteLength(character.normalize("NFKC")),
  )
  const growth = Math.max(0, normalized - Buffer.byteLength(character)) + 1
  growths[code] = growth
  return growth
}
