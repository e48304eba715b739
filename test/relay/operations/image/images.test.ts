import { describe, expect, test } from "bun:test"
import { imageSize } from "../../../../src/media/image-size.ts"
import { provider, startGateway } from "../../../support/gateway.ts"
import { png, pngFile } from "../../../support/png.ts"
import { type ErrorBody, image, type Made, imageCalls } from "./image-support.ts"

const calls = imageCalls()
const { generate, send, rejected } = calls

const PROMPT = ["prompt", "a hat"] as const
const IMAGE = ["image", pngFile(png(512, 512))] as const
const MASK = ["mask", pngFile(png(512, 512))] as const

/** The receipt of an image that was created from another image. */
interface Seen {
  readonly usage: Readonly<Record<string, number>>
  readonly arithmetic: readonly object[]
  readonly cost: string
  readonly hold: string
}

describe("charges for images", () => {
  async function costOf(body: object): Promise<string | null> {
    const response = await generate(body)
    expect(response.status).toBe(200)
    await response.body?.cancel()
    return response.headers.get("x-tollgate-cost")
  }

  test("vary with sizes and qualities", async () => {
    const three = { model: "sim/dall-e-3", prompt: "an owl" }
    expect(await costOf({ ...three, n: 2 })).toBe("0.08")
    expect(await costOf({ ...three, quality: "hd" })).toBe("0.08")
    expect(await costOf({ ...three, quality: "hd", size: "1792x1024" })).toBe("0.12")
    expect(await costOf({ ...three, quality: "hd", size: "1024x1792" })).toBe("0.12")
    expect(await costOf({ model: "sim/dall-e-2", prompt: "an owl", size: "256x256" })).toBe("0.016")
  })

  test("appear on the receipt together with the applied rate", async () => {
    const response = await generate({ model: "sim/dall-e-3", prompt: "an owl", quality: "hd" })
    const receipt = (await (
      await calls.caller.get(`/v1/receipts/${response.headers.get("x-request-id")}`)
    ).json()) as Record<string, unknown>
    expect(receipt).toMatchObject({
      status: "settled",
      endpoint: "/v1/images/generations",
      usage: { image: 1 },
      price: { per_million: { image: "80000" } },
      arithmetic: [{ class: "image", quantity: 1, per_million: "80000" }],
      charged: "0.08",
      hold: "0.08",
      estimated: false,
    })
  })

  test("follow the vendor's token counts", async () => {
    const response = await generate({ model: "sim/gpt-image-1", prompt: "an owl", quality: "low" })
    const { usage } = (await response.json()) as Made
    expect(usage).toMatchObject({ output_tokens: 272 })
    const cost = (usage?.["input_tokens"] ?? 0) * 5_000 + 272 * 40_000
    expect(response.headers.get("x-tollgate-cost")).toBe((cost / 1e9).toFixed(9).replace(/0+$/, ""))
  })

  test("use the price of input images, or the price of text if there is none", async () => {
    for (const [model, rate] of [
      ["sim/gpt-image-seeing", "10"],
      ["sim/gpt-image-1", "5"],
    ] as const) {
      const response = await send("edits", [["model", model], PROMPT, IMAGE, MASK])
      expect(response.status).toBe(200)
      await response.body?.cancel()
      const id = response.headers.get("x-request-id")
      const receipt = (await (await calls.caller.get(`/v1/receipts/${id}`)).json()) as Seen
      const { input = 0, image_output: output = 0, image_input: seen = 0 } = receipt.usage
      expect(seen).toBe(194)
      expect(receipt.arithmetic).toContainEqual({
        class: "image_input",
        quantity: 194,
        per_million: rate,
      })
      const cost = input * 5_000 + seen * Number(rate) * 1_000 + output * 40_000
      expect(receipt.cost).toBe((cost / 1e9).toFixed(9).replace(/0+$/, ""))
      expect(Number(receipt.hold)).toBeGreaterThanOrEqual(Number(receipt.cost))
    }
  })

  test("equal the maximum if the vendor reports no token counts", async () => {
    const before = await calls.caller.balance()
    const response = await generate({ model: "openai/fault-no-usage", prompt: "an owl" })
    expect(response.status).toBe(200)
    const id = response.headers.get("x-request-id")
    const receipt = (await (await calls.caller.get(`/v1/receipts/${id}`)).json()) as {
      estimated: boolean
    }
    expect(receipt.estimated).toBeTrue()
    expect(before - (await calls.caller.balance())).toBeGreaterThan(4_160n * 40_000n)
  })

  test("require a hold of the maximum, so that credits for nine images are not enough for ten", async () => {
    const poor = await calls.gateway.caller("0.39")
    const asked = calls.gateway.simulator.requests.length
    const order = { model: "sim/dall-e-3", prompt: "an owl", n: 10 }
    const response = await poor.post("/v1/images/generations", order)
    expect(response.status).toBe(402)
    expect(calls.gateway.simulator.requests.length).toBe(asked)
    const nine = await poor.post("/v1/images/generations", { ...order, n: 9 })
    expect(nine.status).toBe(200)
    expect(await poor.balance()).toBe(30_000_000n)
  })

  test("exclude failed vendor calls", async () => {
    const before = await calls.caller.balance()
    const response = await generate({ model: "sim/fault-500", prompt: "an owl" })
    expect(response.status).toBe(502)
    expect(await calls.caller.balance()).toBe(before)
  })
})

describe("images of each vendor", () => {
  const SQUARE = { width: 1024, height: 1024 }

  for (const model of [
    "google/gemini-2.5-flash-image",
    "google/imagen-4.0-generate-001",
    "xai/grok-imagine-image",
    "together/black-forest-labs/FLUX.1-schnell",
    "fireworks/accounts/fireworks/models/flux-1-schnell-fp8",
    "fireworks/accounts/fireworks/models/stable-diffusion-xl-1024-v1-0",
    "openrouter/google/gemini-3.1-flash-image",
    "stability/core",
    "stability/sd3.5-large",
    "azure/pictures",
    "bedrock/amazon.nova-canvas-v1:0",
    "bedrock/stability.sd3-5-large-v1:0",
  ]) {
    for (const form of ["url", "b64_json"] as const) {
      test(`arrive from ${model} in the form of ${form}`, async () => {
        const response = await generate({ model, prompt: "a boat", n: 2, response_format: form })
        const { data } = (await response.json()) as Made
        expect(response.headers.get("x-tollgate-losses")).toBeNull()
        expect(data).toHaveLength(2)
        for (const { url, b64_json: base64 } of data) {
          const bytes =
            form === "url"
              ? new Uint8Array(await (await fetch(url ?? "")).arrayBuffer())
              : new Uint8Array(Buffer.from(base64 ?? "", "base64"))
          expect(imageSize(bytes)).toEqual(SQUARE)
        }
      })
    }
  }

  test("have the nearest size that the model supports, with a reported loss", async () => {
    const order = { model: "xai/grok-imagine-image", prompt: "a boat", size: "1792x1024" }
    const response = await generate({ ...order, style: "vivid" })
    expect(response.status).toBe(200)
    expect(response.headers.get("x-tollgate-losses")).toBe("style:dropped, size:approximated")
    expect(
      calls.gateway.simulator.requests.findLast(({ path }) => path.startsWith("/v1"))?.body,
    ).toEqual(expect.objectContaining({ aspect_ratio: "16:9" }))
    await rejected(() => generate(order, { "x-tollgate-strict": "true" }), {
      status: 400,
      code: "not_carried",
    })
  })

  test("can be edited and varied by vendors that accept images", async () => {
    const wide = [PROMPT, IMAGE, MASK, ["response_format", "b64_json"]] as const
    for (const [model, losses] of [
      ["google/gemini-2.5-flash-image", "mask:approximated, size:approximated"],
      ["openrouter/google/gemini-3.1-flash-image", "size:approximated, mask:approximated"],
      ["xai/grok-imagine-image", "size:approximated, mask:approximated"],
    ] as const) {
      const response = await send("edits", [["model", model], ...wide])
      expect([model, response.status]).toEqual([model, 200])
      expect(response.headers.get("x-tollgate-losses")).toBe(losses)
    }
    const canvas = ["model", "bedrock/amazon.nova-canvas-v1:0"] as const
    const varied = await send("variations", [canvas, IMAGE])
    expect([varied.status, varied.headers.get("x-tollgate-losses")]).toEqual([200, null])
    const gemini = ["model", "google/gemini-2.5-flash-image"] as const
    const emulated = await send("variations", [gemini, IMAGE])
    expect(emulated.headers.get("x-tollgate-losses")).toBe("variations:emulated")
  })

  test("cost nothing if the vendor rejects the prompt, and its moderation error is returned", async () => {
    const before = await calls.caller.balance()
    const response = await generate({
      model: "google/gemini-2.5-flash-image",
      prompt: "something forbidden",
    })
    const { error } = (await response.json()) as ErrorBody
    expect([response.status, error.code]).toEqual([400, "content_policy_violation"])
    expect(error.message).toContain("Unable to show the generated image.")
    expect(await calls.caller.balance()).toBe(before)
  })
})

describe("links to stored images", () => {
  async function link(): Promise<string> {
    const response = await generate({ model: "sim/gpt-image-1", prompt: "a kept boat" })
    return ((await response.json()) as Made).data[0]?.url ?? ""
  }

  test("work without a key, and their responses have the required headers", async () => {
    const response = await fetch(await link())
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/png",
      "x-content-type-options": "nosniff",
      "cache-control": expect.stringMatching(/^private, max-age=3[56]\d\d, immutable$/),
    })
    expect(imageSize(new Uint8Array(await response.arrayBuffer()))).toBeObject()
  })

  test("do not work with a modified signature, name or path", async () => {
    const good = new URL(await link())
    const changed = [
      good.href.replace(/signature=../, "signature=zz"),
      good.href.replace(/\?.*/, ""),
      good.href.replace(/files\/\d/, "files/9"),
      good.href.replace(".png?", ".jpg?"),
      `${good.origin}/v1/images/files/..%2f..%2ftollgate.db${good.search}`,
      `${good.origin}/v1/images/files/%2e%2e/secrets/key-pepper${good.search}`,
      `${good.origin}/v1/images/files/${good.search}`,
    ]
    for (const url of changed) {
      const response = await fetch(url)
      expect([url, response.status]).toEqual([url, 404])
    }
    expect((await fetch(good.href)).status).toBe(200)
  })

  test("do not contain a host name that the caller sent", async () => {
    const headers = { host: "evil.example" }
    const order = { model: "sim/gpt-image-1", prompt: "a kept boat" }
    const response = await calls.caller.post("/v1/images/generations", order, headers)
    const [made] = ((await response.json()) as Made).data
    expect(made?.url).toStartWith(`${calls.gateway.url}/v1/images/files/`)
  })

  test("contain the operator's public address if it is configured", async () => {
    await using own = await startGateway({ models: { "sim/gpt-image-1": image() } })
    const someone = await own.caller("1")
    await own.app.apply({ ...own.settings, publicUrl: "https://ai.example.com" })
    const order = { model: "sim/gpt-image-1", prompt: "a boat" }
    const response = await someone.post("/v1/images/generations", order)
    const [made] = ((await response.json()) as Made).data
    expect(made?.url).toStartWith("https://ai.example.com/v1/images/files/")
  })
})

test("images beyond the requested number are neither charged nor passed on", async () => {
  await using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      Response.json({
        created: 1,
        data: Array.from({ length: 2_000 }, () => ({ b64_json: "AAAA" })),
      }),
  })
  await using gateway = await startGateway({
    providers: { many: provider(server.url.href, "openai-compatible") },
    models: { "many/picture": image() },
  })
  const caller = await gateway.caller("10")
  for (const n of [1, 3]) {
    const body = { model: "many/picture", prompt: "an owl", n, response_format: "url" }
    const response = await caller.post("/v1/images/generations", body)
    const { data } = (await response.json()) as { data: unknown[] }
    expect(data).toHaveLength(n)
    expect(response.headers.get("x-tollgate-cost")).toBe((0.04 * n).toFixed(2))
  }
})
