import { createOpenAI } from "@ai-sdk/openai"
import { generateImage } from "ai"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { ModelSettings } from "../../src/config/settings.ts"
import { asked, startManaged } from "../http/admin/support.ts"
import { provider, type TestCaller, type TestGateway } from "../support/gateway.ts"
import { png, pngFile } from "../support/png.ts"

/**
 * A gateway for image edits as Open WebUI, n8n and the AI SDK send them. The provider's rules apply to images
 * (`images.rules: provider`).
 */

let gateway: TestGateway
let caller: TestCaller

const IMAGE: ModelSettings = { kind: "image", price: { image: "40000" } }
const GPT = "sim/gpt-image-1"

beforeAll(async () => {
  gateway = await startManaged({
    providersAt: (url) => ({ google: provider(url, "google") }),
    models: { [GPT]: IMAGE, "sim/dall-e-2": IMAGE, "google/gemini-2.5-flash-image": IMAGE },
  })
  caller = await gateway.caller("100")
  await rules("provider")
})

afterAll(() => gateway[Symbol.asyncDispose]())

async function rules(value: string | null): Promise<void> {
  await asked(gateway, "PATCH", "/settings", { "images.rules": value })
}

/** Returns a JPEG that consists only of a valid header. */
function jpeg(width: number, height: number): File {
  const header = Buffer.from([
    0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0, 0xff, 0xd9,
  ])
  header.writeUInt16BE(height, 7)
  header.writeUInt16BE(width, 9)
  return new File([header], "photo.jpg", { type: "image/jpeg" })
}

/** Returns a lossy WebP that consists only of a valid header. */
function webp(width: number, height: number): File {
  const bytes = Buffer.alloc(64)
  bytes.write("RIFF", 0, "latin1")
  bytes.write("WEBPVP8 ", 8, "latin1")
  bytes.writeUInt16LE(width, 26)
  bytes.writeUInt16LE(height, 28)
  return new File([bytes], "photo.webp", { type: "image/webp" })
}

/** Sends an edit request as a form. */
async function edit(parts: readonly (readonly [string, string | File])[]): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of parts) form.append(name, value)
  return fetch(`${gateway.url}/v1/images/edits`, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}` },
    body: form,
  })
}

interface Edited {
  readonly data?: readonly { readonly b64_json?: string; readonly url?: string }[]
  readonly error?: { readonly message: string; readonly code: string; readonly param: string }
}

const COMMON = [
  ["model", GPT],
  ["prompt", "a hat"],
] as const

describe("image edits that are validated by the provider's rules", () => {
  const photos = {
    "a photo other than a square": pngFile(png(640, 480)),
    "a JPEG": jpeg(512, 384),
    "a WebP": webp(300, 200),
  }
  for (const [name, image] of Object.entries(photos)) {
    test(`accept ${name} without a mask, and return base64`, async () => {
      const response = await edit([...COMMON, ["image", image]])
      const { data } = (await response.json()) as Edited
      expect([response.status, data?.length]).toEqual([200, 1])
      expect(data?.[0]?.b64_json).toBeString()
      expect(data?.[0]?.url).toBeUndefined()
      expect(response.headers.get("x-tollgate-losses")).toBeNull()
    })
  }

  test("accept the fields that n8n sends: several images, and a size of the result", async () => {
    const response = await edit([
      ...COMMON,
      ["image[]", pngFile(png(512, 512))],
      ["image[]", jpeg(800, 600)],
      ["n", "1"],
      ["size", "1024x1024"],
      ["quality", "auto"],
    ])
    expect(response.status).toBe(200)
  })

  test("accept a mask whose size differs from the image, and leave the check to the provider", async () => {
    const response = await edit([
      ...COMMON,
      ["image", pngFile(png(640, 480))],
      ["mask", pngFile(png(512, 512))],
    ])
    const { error } = (await response.json()) as Edited
    expect([response.status, error?.code]).toEqual([400, "rejected_by_upstream"])
  })

  test("reject a JPEG free of charge if the model does not support it", async () => {
    const before = await caller.balance()
    const response = await edit([
      ["model", "sim/dall-e-2"],
      ["prompt", "a hat"],
      ["image", jpeg(512, 512)],
    ])
    const { error } = (await response.json()) as Edited
    expect([response.status, error?.code]).toEqual([400, "rejected_by_upstream"])
    expect(await caller.balance()).toBe(before)
  })

  test("can return a link to the image", async () => {
    const response = await edit([...COMMON, ["image", jpeg(512, 512)], ["response_format", "url"]])
    const { data } = (await response.json()) as Edited
    expect(data?.[0]?.url).toStartWith("http")
  })

  test("have the file's type when they are sent to Gemini", async () => {
    const response = await edit([
      ["model", "google/gemini-2.5-flash-image"],
      ["prompt", "a hat"],
      ["image", jpeg(640, 480)],
    ])
    expect(response.status).toBe(200)
    expect(JSON.stringify(gateway.simulator.requests.at(-1)?.body)).toContain(
      '"mimeType":"image/jpeg"',
    )
  })

  test("reject a file that is not an image", async () => {
    const response = await edit([...COMMON, ["image", new File(["hello"], "a.png")]])
    const { error } = (await response.json()) as Edited
    expect([response.status, error?.code, error?.param]).toEqual([400, "invalid_image", "image"])
    expect(error?.message).toContain("it is not a PNG, JPEG or WebP")
  })

  test("can be requested with the AI SDK", async () => {
    const openai = createOpenAI({ apiKey: caller.key, baseURL: `${gateway.url}/v1` })
    const { image } = await generateImage({
      model: openai.image(GPT),
      prompt: { text: "a hat", images: [png(640, 480)] },
    })
    expect(image.uint8Array.byteLength).toBeGreaterThan(0)
  })

  test("can be estimated from the size of the image", async () => {
    const body = { model: GPT, prompt: "a hat", image: { width: 640, height: 480 } }
    const response = await caller.post("/v1/estimate", { path: "/v1/images/edits", body })
    expect(response.status).toBe(200)
  })
})

test("image edits are validated by the rules of the specification by default", async () => {
  await rules(null)
  const codes: (string | undefined)[] = []
  const mask = ["mask", pngFile(png(512, 512))] as const
  for (const image of [jpeg(512, 512), pngFile(png(640, 480)), pngFile(png(512, 512))]) {
    const response = await edit([...COMMON, ["image", image], mask, ["size", "1024x1024"]])
    codes.push(((await response.json()) as Edited).error?.code)
  }
  expect(codes).toEqual(["invalid_image", "invalid_image", "invalid_image"])
  const unmasked = await edit([...COMMON, ["image", pngFile(png(512, 512))]])
  expect(((await unmasked.json()) as Edited).error?.param).toBe("mask")
})
