import { describe, expect, test } from "bun:test"
import { correctionWords } from "../../console/src/format/error-correction.ts"
import { qrCode } from "../../console/src/format/qr-code.ts"

/** The rows as text, for comparison with a picture. */
function drawn(rows: readonly (readonly boolean[])[]): string[] {
  return rows.map((row) => row.map((isDark) => (isDark ? "#" : ".")).join(""))
}

test("the words of correction are those of the standard's worked example", () => {
  // ISO/IEC 18004, annex I: "01234567" at level M of version 1.
  const data = [16, 32, 12, 86, 97, 128, 236, 17, 236, 17, 236, 17, 236, 17, 236, 17]
  expect(correctionWords(data, 10)).toEqual([165, 36, 212, 193, 237, 54, 199, 135, 44, 85])
})

describe("a code", () => {
  test("has its three finders, its timing and its dark place", () => {
    const rows = drawn(qrCode("Tollgate"))
    const finder = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"]
    finder.forEach((line, y) => {
      expect(rows[y]?.slice(0, 7)).toBe(line)
      expect(rows[y]?.slice(-7)).toBe(line)
      expect(rows[rows.length - 7 + y]?.slice(0, 7)).toBe(line)
    })
    expect(rows[6]?.slice(6, -6)).toBe("#.#.#.#.#")
    expect(rows[rows.length - 8]?.[8]).toBe("#")
  })

  test.each([
    [14, 21],
    [15, 25],
    [120, 45],
    [180, 53],
    [412, 77],
  ])("%i bytes have a side of %i", (length, side) => {
    expect(qrCode("x".repeat(length))).toHaveLength(side)
  })

  test("more than it can hold is refused", () => {
    expect(() => qrCode("x".repeat(413))).toThrow(RangeError)
  })

  test("both copies of the format say level M and the same mask", () => {
    const rows = qrCode("otpauth://totp/Tollgate:a%40b.example?secret=JBSWY3DPEHPK3PXP")
    const size = rows.length
    const at = (x: number, y: number) => (rows[y]?.[x] === true ? 1 : 0)
    const first = [0, 1, 2, 3, 4, 5, 7, 8].map((y) => at(8, y)).concat(at(7, 8))
    for (let x = 5; x >= 0; x--) first.push(at(x, 8))
    const second = Array.from({ length: 8 }, (_, index) => at(size - 1 - index, 8))
    for (let index = 8; index < 15; index++) second.push(at(8, size - 15 + index))
    expect(first).toEqual(second)
    const bits = first.reduce((value, bit, index) => value | (bit << index), 0) ^ 0x5412
    expect(bits >>> 13).toBe(0)
  })
})
