import { expect, test } from "bun:test"
import { readPrice } from "../../src/catalog/read-price.ts"

test("an image model can have prices by image kind without any other price", () => {
  const { price } = readPrice("image", { images: { "1024x1024": "40000", hd: "80000" } }, "1")
  expect(price?.imageRates?.get("hd")).toBe(80_000_000_000_000n)
  // Other sizes cost as much as the most expensive size, also in the model list.
  expect(price?.rates.images).toBe(80_000_000_000_000n)
})

test("an image model without any image price is rejected", () => {
  expect(readPrice("image", { input: "5" }, "1").reason).toContain("'image' or 'output'")
})
