import { expect, test } from "bun:test"
import {
  markedVendor,
  monogramOf,
  providerOfModel,
  VENDOR_MARKS,
} from "../../console/src/format/vendor-marks.ts"
import { vendors } from "../../src/vendors/index.ts"

test("every vendor has a logo, or is listed as a vendor without one", () => {
  expect(Object.keys(VENDOR_MARKS)).toEqual([...vendors.keys()].toSorted())
})

test("a provider gets the logo of its vendor, or of the vendor whose name its id begins with", () => {
  const marked = [
    markedVendor("europe", "azure"),
    markedVendor("openai"),
    markedVendor("openai-eu"),
    markedVendor("moonshot-cn"),
    markedVendor("moonshot-cn-2"),
  ]
  expect(marked).toEqual(["azure", "openai", "openai", "moonshot-cn", "moonshot-cn"])
  const unmarked = [
    markedVendor("europe"),
    markedVendor("openai", "openai-compatible"),
    markedVendor("openai-compatible-2"),
    markedVendor("openairouter"),
    markedVendor("deepgram"),
    markedVendor("constructor"),
  ]
  expect(unmarked).toEqual(Array(6).fill(undefined))
})

test("a provider without a logo is represented by the first letter or digit of its id", () => {
  expect(["acme-1", "7-seas", "_x", "-"].map(monogramOf)).toEqual(["A", "7", "X", "?"])
})

test("the provider in a model id is the part before the first slash", () => {
  expect(["openrouter/openai/gpt", "fast"].map(providerOfModel)).toEqual(["openrouter", "fast"])
})
