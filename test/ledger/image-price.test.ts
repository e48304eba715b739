import { describe, expect, test } from "bun:test"
import { parsePrice } from "../../src/ledger/parse-price.ts"
import { costOf } from "../../src/ledger/price.ts"
import { type ImageKind, priceOfImages } from "../../src/ledger/image-price.ts"
import { NO_USAGE } from "../../src/canon/usage.ts"

const CARD = {
  "1024x1024": "40000",
  "1024x1024/hd": "80000",
  "1792x1024": "80000",
  "512x512/low": "5000",
  "512x512/high": "30000",
  high: "170000",
}

function costOfOne(kind: ImageKind, image?: string, images: Record<string, string> = CARD): bigint {
  const price = parsePrice({ ...(image === undefined ? {} : { image }), images }, "1")
  return costOf({ ...NO_USAGE, images: 1 }, priceOfImages(price, kind)).total
}

const MILLICREDIT = 1_000_000n

describe("the price of an image", () => {
  for (const [kind, millicredits] of [
    [{ size: "1024x1024" }, 40n],
    [{ size: "1024x1024", quality: "hd" }, 80n],
    [{ size: "1024x1024", quality: "standard" }, 40n],
    [{ size: "1024x1024", quality: "auto" }, 40n],
    [{ size: "1792x1024", quality: "hd" }, 80n],
    [{ size: "512x512", quality: "low" }, 5n],
    // A missing value, or a value without a rate, has the highest possible price.
    [{ size: "512x512" }, 30n],
    [{ size: "512x512", quality: "auto" }, 30n],
    [{ size: "256x256", quality: "high" }, 170n],
    [{}, 170n],
    [{ quality: "hd" }, 80n],
  ] as const) {
    test(`depends on its size and quality: ${JSON.stringify(kind)}`, () => {
      expect(costOfOne(kind)).toBe(millicredits * MILLICREDIT)
    })
  }

  test("equals the default rate if its kind has no rate", () => {
    expect(costOfOne({ size: "256x256" }, "10000")).toBe(10n * MILLICREDIT)
    expect(costOfOne({ size: "512x512", quality: "medium" }, "10000")).toBe(10n * MILLICREDIT)
  })

  test("equals the highest rate if no rate matches, and never zero", () => {
    expect(costOfOne({ size: "256x256" })).toBe(170n * MILLICREDIT)
  })

  test("does not depend on the image if the price has no kinds", () => {
    const price = parsePrice({ image: "40000" }, "1")
    expect(priceOfImages(price, { size: "1024x1024" })).toBe(price)
  })

  test("must not have negative rates", () => {
    expect(() => parsePrice({ images: { hd: "-1" } }, "1")).toThrow(RangeError)
  })
})
