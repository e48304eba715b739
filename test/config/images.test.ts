import { describe, expect, test } from "bun:test"
import { describeSettings } from "../../src/config/describe.ts"
import { ConfigError } from "../../src/config/config-error.ts"
import { loadSettings } from "../../src/config/load.ts"
import type { Settings } from "../../src/config/settings.ts"
import { Folder } from "./harness.ts"

function load(text: string): Settings {
  using folder = new Folder()
  folder.write(text)
  return loadSettings(folder.options({})).settings
}

function problemsOf(text: string): string {
  try {
    load(text)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error("the settings are good")
}

function pricedBy(image: string): string {
  return `
providers: { local: { vendor: openai-compatible, base_url: "http://127.0.0.1:1/v1" } }
models: { local/draw: { kind: image, price: { image: ${image} } } }
`
}

describe("image price settings", () => {
  test("can be one price for all images", () => {
    expect(load(pricedBy("40000")).models["local/draw"]?.price).toEqual({ image: "40000" })
  })

  test("can differ by kind, with a default", () => {
    const table = `{ 1024x1024: 40000, "1024x1024/hd": 80000, hd: 90000.5, default: 1 }`
    expect(load(pricedBy(table)).models["local/draw"]?.price).toEqual({
      image: "1",
      images: { "1024x1024": "40000", "1024x1024/hd": "80000", hd: "90000.5" },
    })
  })

  test("cause an error with the position if a price is invalid", () => {
    expect(problemsOf(pricedBy("many"))).toContain("must be a decimal number")
    const negative = problemsOf(pricedBy("{ 1024x1024: -1 }"))
    expect(negative).toContain("models.local/draw.price.image.1024x1024")
    expect(problemsOf(pricedBy("{ big/hd: 1 }"))).toContain("an image kind is")
    expect(problemsOf(pricedBy("[1]"))).toContain("models.local/draw.price.image")
  })
})

test("models can have a maximum text length and a price for input images", () => {
  const { models } = load(`
providers: { local: { vendor: openai-compatible, base_url: "http://127.0.0.1:1/v1" } }
models:
  local/say: { kind: speech, max_input: 10000, price: { character: 15 } }
  local/draw: { kind: image, price: { input: 5, image_input: 10, output: 40 } }
`)
  expect(models["local/say"]?.maxInput).toBe(10_000)
  expect(models["local/draw"]?.price).toEqual({ input: "5", image_input: "10", output: "40" })
})

describe("settings of stored images", () => {
  const S3 = `
images:
  link_minutes: 15
  s3: { bucket: shelf, endpoint: "https://s3.example.com", region: eu-west-1, access_key_id: id1, secret_access_key: very-secret }
defaults: { image_model: local/draw, translation_model: local/say }
`

  test("default to files in a folder and links that are valid for one hour", () => {
    const { images, imageModel } = load("")
    expect(images).toEqual({ linkLifetime: 3_600_000 })
    expect(imageModel).toBeUndefined()
  })

  test("accept a bucket, whose keys are never shown", () => {
    const settings = load(S3)
    expect(settings.imageModel).toBe("local/draw")
    expect(settings.translationModel).toBe("local/say")
    expect(settings.images).toEqual({
      linkLifetime: 900_000,
      bucket: {
        bucket: "shelf",
        endpoint: "https://s3.example.com",
        region: "eu-west-1",
        accessKeyId: "id1",
        secretAccessKey: "very-secret",
      },
    })
    const shown = JSON.stringify(describeSettings(settings))
    expect(shown).toContain("s3.example.com")
    expect(shown).not.toContain("very-secret")
    expect(shown).not.toContain("id1")
  })

  test("require the keys of the bucket and a duration of links", () => {
    expect(problemsOf("images: { s3: { bucket: shelf } }")).toContain("images.s3.access_key_id")
    expect(problemsOf("images: { link_minutes: 0 }")).toContain("images.link_minutes")
  })
})
