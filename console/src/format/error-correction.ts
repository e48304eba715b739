/** Reed and Solomon's code over the field of 256 elements, as QR codes use it: ISO/IEC 18004, 7.5. */

/** The field's polynomial: x^8 + x^4 + x^3 + x^2 + 1. */
const POLYNOMIAL = 0x11d

/** The codewords that follow some data so that a reader can mend what it misread. */
export function correctionWords(data: readonly number[], count: number): number[] {
  const divisor = generator(count)
  const rest = Array.from({ length: count }, () => 0)
  for (const word of data) {
    const factor = word ^ (rest.shift() ?? 0)
    rest.push(0)
    divisor.forEach((coefficient, index) => {
      rest[index] = (rest[index] ?? 0) ^ multiply(coefficient, factor)
    })
  }
  return rest
}

/** The product of (x - 2^i) for i below the degree, without its first coefficient, which is 1. */
function generator(degree: number): number[] {
  const result: number[] = Array.from({ length: degree }, () => 0)
  result[degree - 1] = 1
  let root = 1
  for (let step = 0; step < degree; step++) {
    for (let index = 0; index < degree; index++) {
      result[index] = multiply(result[index] ?? 0, root) ^ (result[index + 1] ?? 0)
    }
    root = multiply(root, 2)
  }
  return result
}

function multiply(one: number, other: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * POLYNOMIAL)
    product ^= ((other >>> bit) & 1) * one
  }
  return product
}
