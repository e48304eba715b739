const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const HEXADECIMAL = "0123456789abcdef"

function draw(alphabet: string, length: number): string {
  let text = ""
  for (let index = 0; index < length; index++) {
    text += alphabet.charAt(Math.floor(Math.random() * alphabet.length))
  }
  return text
}

/** Returns random letters and digits, as vendors use them in ids. The result is not secure enough for a secret. */
export function base62(length: number): string {
  return draw(BASE62, length)
}

/** Returns random lowercase hexadecimal digits. The result is not secure enough for a secret. */
export function hexadecimal(length: number): string {
  return draw(HEXADECIMAL, length)
}
