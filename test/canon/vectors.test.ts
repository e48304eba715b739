import { expect, test } from "bun:test"
import fc from "fast-check"
import { GatewayError } from "../../src/canon/errors.ts"
import { base64Of, cosineOf, numbersOf, unitVector, vectorOf } from "../../src/canon/vectors.ts"
import { HAS_FIXTURES, readFixture, WITHOUT_FIXTURES } from "../support/recordings.ts"

const floats = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 })

test("vectors are unchanged after conversion to base64 and back, to the last bit of a 32-bit float", () => {
  fc.assert(
    fc.property(floats, (numbers) => {
      expect(numbersOf(base64Of(numbers))).toEqual(numbers.map(Math.fround))
    }),
  )
})

test("vectors from base64 are 32-bit floats", () => {
  expect(numbersOf(base64Of([0.1, -0.5, 1]))).toEqual([Math.fround(0.1), -0.5, 1])
  const text = base64Of([0.1])
  expect(base64Of(text)).toBe(text)
})

test("vectors in base64 that are not floats cause an error", () => {
  for (const text of ["AAA=", "!!!!"]) expect(() => numbersOf(text)).toThrow(GatewayError)
  // No form of an invalid value is charged.
  for (const value of ["", "AAA=", "!!!!", null, {}, [], ["1"]]) {
    expect(() => vectorOf(value)).toThrow(GatewayError)
  }
})

test("normalization keeps the direction of a vector, and the cosine depends only on directions", () => {
  expect(unitVector([3, 4])).toEqual([0.6, 0.8])
  expect(unitVector([0, 0])).toEqual([0, 0])
  expect(cosineOf([1, 0], [5, 0])).toBe(1)
  expect(cosineOf([1, 0], [0, 2])).toBe(0)
  expect(cosineOf([1, 0], base64Of([-2, 0]))).toBe(-1)
  expect(() => cosineOf([1, 0], [1])).toThrow(GatewayError)
})

test.skipIf(!HAS_FIXTURES)(
  `OpenAI's vectors in base64 equal its vectors as floats${WITHOUT_FIXTURES}`,
  () => {
    const embedding = (file: string): unknown => {
      const { data } = JSON.parse(readFixture(`openai-node/embeddings-${file}-response.json`)) as {
        data: { embedding: unknown }[]
      }
      return data[0]?.embedding
    }
    const told = numbersOf(vectorOf(embedding("float")))
    const read = numbersOf(vectorOf(embedding("base64")))
    expect(told.length).toBe(256)
    expect(read.length).toBe(256)
    told.forEach((number, index) =>
      expect(Math.abs(number - (read[index] ?? 9))).toBeLessThan(1e-8),
    )
  },
)
