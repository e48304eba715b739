import { expect, test } from "bun:test"
import { HashSum } from "../../src/accounting/hash-sum.ts"
import { hashText } from "../../src/accounting/hash-chain.ts"

const HASHES = Array.from({ length: 1_000 }, (_, index) => hashText(String(index)))

test("the sum of joined hashes equals the sum of single hashes", () => {
  const single = new HashSum("ff".repeat(32), 7)
  for (const hash of HASHES) single.add(hash)
  const joined = new HashSum("ff".repeat(32), 7)
  expect(joined.addJoined(HASHES.join(""), HASHES.length)).toBe(true)
  expect(joined.text).toBe(single.text)
  expect(joined.count).toBe(single.count)
})

test("the hash sum rejects invalid hashes", () => {
  const sum = new HashSum()
  for (const wrong of ["00", "g".repeat(64), `${HASHES[0]}00`]) {
    expect(sum.addJoined(wrong, 1)).toBe(false)
  }
  expect(sum.addJoined("", 0)).toBe(true)
  expect(sum.text).toBe("0".repeat(64))
})
