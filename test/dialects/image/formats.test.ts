import { describe, expect, test } from "bun:test"
import { GatewayError } from "../../../src/canon/errors.ts"
import { ALL_TASKS } from "../../../src/canon/image.ts"
import { vendors } from "../../../src/vendors/index.ts"
import { png } from "../../support/png.ts"
import { responseOf, asked, imagesOf, IMAGE, requestOf } from "./support.ts"

const PNG = `image/png ${IMAGE.bytes.byteLength}`

describe("the OpenAI image encoder", () => {
  test("never sends response_format to GPT image models", async () => {
    const { paths, bodies, losses } = await asked("openai", "gpt-image-1", {
      count: 3,
      form: "url",
      options: { quality: "low", background: "transparent", style: "vivid" },
    })
    expect(paths).toEqual(["/images/generations"])
    expect(bodies).toEqual([
      {
        model: "gpt-image-1",
        prompt: "a boat",
        size: "1024x1024",
        quality: "low",
        background: "transparent",
        n: 3,
      },
    ])
    expect(losses).toEqual(["style:dropped"])
  })

  test("requests one image per call from dall-e-3, with quality hd and a style", async () => {
    const { bodies, losses } = await asked("openai", "dall-e-3", {
      count: 2,
      form: "url",
      size: { width: 1792, height: 1024 },
      options: { quality: "hd", style: "natural", output_format: "png" },
    })
    const body = {
      model: "dall-e-3",
      prompt: "a boat",
      size: "1792x1024",
      response_format: "url",
      quality: "hd",
      style: "natural",
      n: 1,
    }
    expect(bodies).toEqual([body, body])
    expect(losses).toEqual(["output_format:dropped"])
  })

  test("sends the nearest size that the model supports", async () => {
    for (const [model, width, height, sent] of [
      ["gpt-image-1", 256, 256, "1024x1024"],
      ["gpt-image-1.5", 1920, 1080, "1536x1024"],
      ["gpt-image-1", 720, 1280, "1024x1536"],
      ["dall-e-3", 1024, 1536, "1024x1792"],
      ["dall-e-2", 300, 300, "256x256"],
      ["gpt-image-2", 1537, 864, "1536x1024"],
      ["gpt-image-2", 3840, 1000, "1536x1024"],
    ] as const) {
      const { bodies, losses } = await asked("openai", model, { size: { width, height } })
      expect([model, bodies[0]?.["size"]]).toEqual([model, sent])
      expect(losses).toContain("size:approximated")
    }
    const free = await asked("openai", "gpt-image-2-2026-04-21", {
      size: { width: 1536, height: 864 },
    })
    expect([free.bodies[0]?.["size"], free.losses]).toEqual(["1536x864", []])
    const auto = await asked("openai", "gpt-image-1", { size: "auto" })
    expect([auto.bodies[0]?.["size"], auto.losses]).toEqual(["auto", []])
  })

  test("sends an edit as a form", async () => {
    const { paths, bodies } = await asked("openai", "gpt-image-1.5", {
      task: "edit",
      images: [IMAGE, IMAGE],
      mask: IMAGE,
      options: { output_compression: 90 },
    })
    expect(paths).toEqual(["/images/edits"])
    expect(bodies).toEqual([
      {
        model: "gpt-image-1.5",
        prompt: "a boat",
        size: "1024x1024",
        output_compression: "90",
        n: "1",
        "image[]": [`image-0.png ${PNG}`, `image-1.png ${PNG}`],
        mask: `mask.png ${PNG}`,
      },
    ])
  })

  test("sends variations to dall-e-2, as edits to other models, and rejects variations for dall-e-3", async () => {
    const own = await asked("openai", "dall-e-2", { task: "variation" })
    expect([own.paths, own.losses]).toEqual([["/images/variations"], []])
    expect(own.bodies[0]).not.toHaveProperty("prompt")
    const other = await asked("vllm", "some-model", { task: "variation" })
    expect([other.paths, other.losses]).toEqual([["/images/edits"], ["variations:emulated"]])
    expect(other.bodies[0]?.["prompt"]).toContain("variation")
    expect(() => imagesOf("openai").encode(requestOf({ task: "variation" }), "dall-e-3")).toThrow(
      expect.objectContaining({ kind: "model_not_supported" }),
    )
  })

  test("sends compatible servers the same fields as GPT image models", async () => {
    const own = await asked("openai-compatible", "flux", {
      size: { width: 640, height: 480 },
      options: { style: "vivid", steps: 4 },
    })
    expect(own.bodies[0]).toMatchObject({
      size: "640x480",
      style: "vivid",
      steps: 4,
      response_format: "b64_json",
    })
    const azure = await asked("azure", "our-pictures")
    expect(azure.bodies[0]).not.toHaveProperty("response_format")
  })
})

describe("the image encoder for other vendors", () => {
  test("requests one image per call from Gemini, with images as parts and the mask described in text", async () => {
    const { paths, bodies, losses } = await asked("google", "gemini-2.5-flash-image", {
      task: "edit",
      count: 2,
      size: { width: 1024, height: 1024 },
      mask: IMAGE,
    })
    const path = "/v1beta/models/gemini-2.5-flash-image:generateContent"
    expect(paths).toEqual([path, path])
    const data = Buffer.from(IMAGE.bytes).toString("base64")
    const inlineData = { mimeType: "image/png", data }
    expect(bodies[0]).toEqual({
      contents: [
        {
          role: "user",
          parts: [
            { text: "a boat" },
            { inlineData },
            { inlineData },
            { text: expect.stringContaining("mask") },
          ],
        },
      ],
      generationConfig: {
        responseModalities: ["TEXT", "IMAGE"],
        imageConfig: { aspectRatio: "1:1" },
      },
    })
    expect(losses).toEqual(["mask:approximated"])
  })

  test("uses the predict path of Vertex for Imagen models", async () => {
    const { paths } = await asked("vertex", "imagen-4.0-generate-001", { count: 6 })
    expect(paths).toEqual(Array(2).fill("/models/imagen-4.0-generate-001:predict"))
  })

  test("requests up to four images per call from Imagen and rejects edits", async () => {
    const { bodies } = await asked("google", "imagen-4.0-generate-001", { count: 6 })
    expect(bodies).toEqual([
      { instances: [{ prompt: "a boat" }], parameters: { sampleCount: 4, aspectRatio: "1:1" } },
      { instances: [{ prompt: "a boat" }], parameters: { sampleCount: 2, aspectRatio: "1:1" } },
    ])
    const edit = requestOf({ task: "edit" })
    expect(() => imagesOf("google").encode(edit, "imagen-4.0-generate-001")).toThrow(GatewayError)
  })

  test("sends edits to xAI as JSON", async () => {
    const { paths, bodies, losses } = await asked("xai", "grok-imagine-image", {
      task: "edit",
      mask: IMAGE,
      size: { width: 1600, height: 900 },
    })
    expect(paths).toEqual(["/images/edits"])
    expect(bodies[0]).toMatchObject({
      response_format: "b64_json",
      aspect_ratio: "16:9",
      prompt: expect.stringContaining("mask"),
      images: Array.from({ length: 2 }, () => ({
        type: "image_url",
        url: expect.stringMatching(/^data:image\/png;base64,/),
      })),
    })
    expect(losses).toEqual(["size:approximated", "mask:approximated"])
    const unmasked = await asked("xai", "grok-imagine-image", { task: "edit" })
    expect(unmasked.bodies[0]).toMatchObject({ prompt: "a boat", image: { type: "image_url" } })
  })

  test.each([...vendors.values()].filter(({ operations }) => operations?.image))(
    "never drops a mask for $id",
    async ({ id }) => {
      const models = ["gpt-image-1", "dall-e-2", "inpaint", "gemini-2.5-flash-image", "m"]
      const amazon = ["amazon.nova-canvas-v1:0", "stability.stable-image-inpaint-v1:0"]
      const mask = { bytes: png(32, 32), mediaType: "image/png" }
      for (const model of [...models, ...amazon]) {
        const request = { task: "edit", mask, size: "auto" } as const
        const edited = await asked(id, model, request).catch(() => undefined)
        if (edited === undefined) continue
        expect([model, edited.losses]).not.toEqual([
          model,
          expect.arrayContaining(["mask:dropped"]),
        ])
        const sent = JSON.stringify(edited.bodies)
        const bytes = Buffer.from(mask.bytes).toString("base64")
        expect(sent.includes(bytes) || /"mask":"mask\.png/.test(sent)).toBe(true)
      }
    },
  )

  test("uses Together's name for base64 and requests up to four images per call", async () => {
    const { bodies } = await asked("together", "black-forest-labs/FLUX.1-schnell", { count: 5 })
    expect(bodies.map(({ n }) => n)).toEqual([4, 1])
    expect(bodies[0]).toMatchObject({ response_format: "base64", width: 1024, height: 1024 })
  })

  test("sends Stability a form, with a separate path for each model family", async () => {
    const core = await asked("stability", "core", { size: { width: 2000, height: 1000 } })
    expect(core.paths).toEqual(["/v2beta/stable-image/generate/core"])
    expect(core.bodies).toEqual([{ prompt: "a boat", aspect_ratio: "16:9" }])
    expect(core.losses).toEqual(["size:approximated"])
    const large = await asked("stability", "sd3.5-large")
    expect(large.paths).toEqual(["/v2beta/stable-image/generate/sd3"])
    expect(large.bodies[0]).toMatchObject({ model: "sd3.5-large" })
  })

  test("sends Stability variations to the generation path and edits to the edit path", async () => {
    const file = `image.png ${PNG}`
    const varied = await asked("stability", "sd3.5-large", { task: "variation" })
    expect(varied.paths).toEqual(["/v2beta/stable-image/generate/sd3"])
    expect(varied.bodies).toEqual([
      {
        prompt: expect.stringContaining("variation"),
        model: "sd3.5-large",
        mode: "image-to-image",
        strength: "0.6",
        image: file,
      },
    ])
    expect(varied.losses).toEqual(["variations:emulated"])
    const ultra = await asked("stability", "ultra", {
      task: "variation",
      size: { width: 256, height: 256 },
    })
    expect(ultra.bodies[0]).not.toHaveProperty("mode")
    expect(ultra.losses).toEqual(["variations:emulated", "size:approximated"])
    const edited = await asked("stability", "inpaint", {
      task: "edit",
      mask: IMAGE,
      size: "auto",
      options: { style_preset: "anime", quality: "high" },
    })
    expect(edited.paths).toEqual(["/v2beta/stable-image/edit/inpaint"])
    expect(edited.bodies).toEqual([
      { prompt: "a boat", style_preset: "anime", image: file, mask: `mask.png ${PNG}` },
    ])
    expect(edited.losses).toEqual(["quality:dropped"])
  })

  test("declares the form of masks that each model requires", () => {
    for (const [vendor, model, style] of [
      ["stability", "inpaint", "white"],
      ["stability", "core", undefined],
      ["bedrock", "us.stability.stable-image-inpaint-v1:0", "white"],
      ["bedrock", "amazon.titan-image-generator-v2:0", "black"],
      ["openai", "gpt-image-1", undefined],
      ["google", "gemini-2.5-flash-image", undefined],
    ] as const) {
      expect([model, imagesOf(vendor).maskStyle?.(model)]).toEqual([model, style])
    }
  })

  test("supports each task that a vendor declares with at least one model", () => {
    for (const [vendor, ...models] of [
      ["openai", "gpt-image-1"],
      ["azure", "pictures"],
      ["google", "gemini-2.5-flash-image"],
      ["vertex", "gemini-2.5-flash-image"],
      ["stability", "ultra", "inpaint"],
      ["bedrock", "amazon.nova-canvas-v1:0"],
      ["xai", "grok-imagine-image"],
      ["together", "black-forest-labs/FLUX.1-schnell"],
      ["openrouter", "google/gemini-3.1-flash-image"],
      ["fireworks", "accounts/fireworks/models/flux-1-dev-fp8"],
    ] as const) {
      const format = imagesOf(vendor)
      const done = ALL_TASKS.filter((task) =>
        models.some((model) => {
          const requests = [requestOf({ task }), requestOf({ task, mask: IMAGE })]
          return requests.some((request) => {
            try {
              return format.encode(request, model).calls.length > 0
            } catch {
              return false
            }
          })
        }),
      )
      expect([vendor, done]).toEqual([vendor, [...format.tasks]])
    }
  })

  test("requests a stream only for a single image of a GPT image model", async () => {
    const stream = { drafts: 2 }
    const gpt = await asked("openai", "gpt-image-1", { stream })
    expect(gpt.bodies[0]).toMatchObject({ stream: true, partial_images: 2 })
    for (const [vendor, model, changes] of [
      ["openai", "gpt-image-1", { stream, count: 2 }],
      ["openai", "gpt-image-1", { stream, task: "variation" }],
      ["openai", "dall-e-3", { stream }],
      ["openai-compatible", "flux", { stream }],
      ["google", "gemini-2.5-flash-image", { stream }],
    ] as const) {
      expect(imagesOf(vendor).streams?.(requestOf(changes), model) ?? false).toBe(false)
      const { bodies } = await asked(vendor, model, changes)
      expect(bodies[0]).not.toHaveProperty("stream")
    }
  })

  test("uses the task formats of Amazon's and Stability's models on Bedrock", async () => {
    const canvas = await asked("bedrock", "amazon.nova-canvas-v1:0", {
      count: 6,
      options: { quality: "high" },
    })
    expect(canvas.paths[0]).toBe("/model/amazon.nova-canvas-v1%3A0/invoke")
    expect(canvas.bodies[1]).toEqual({
      taskType: "TEXT_IMAGE",
      textToImageParams: { text: "a boat" },
      imageGenerationConfig: { numberOfImages: 1, width: 1024, height: 1024, quality: "premium" },
    })
    const varied = await asked("bedrock", "amazon.titan-image-generator-v2:0", {
      task: "variation",
    })
    expect(varied.bodies[0]).toMatchObject({ taskType: "IMAGE_VARIATION" })
    expect(varied.losses).toEqual([])
    const edited = await asked("bedrock", "amazon.titan-image-generator-v2:0", {
      task: "edit",
      mask: IMAGE,
      size: { width: 64, height: 64 },
    })
    const data = Buffer.from(IMAGE.bytes).toString("base64")
    expect(edited.bodies).toEqual([
      {
        taskType: "INPAINTING",
        inPaintingParams: { text: "a boat", image: data, maskImage: data },
        imageGenerationConfig: { numberOfImages: 1, width: 64, height: 64 },
      },
    ])
    const inpainted = await asked("bedrock", "stability.stable-image-inpaint-v1:0", {
      task: "edit",
      mask: IMAGE,
    })
    expect(inpainted.bodies).toEqual([{ prompt: "a boat", image: data, mask: data }])
    const begun = await asked("bedrock", "stability.sd3-5-large-v1:0", { task: "variation" })
    expect(begun.bodies[0]).toMatchObject({ mode: "image-to-image", image: data, strength: 0.6 })
    expect(begun.bodies[0]).not.toHaveProperty("aspect_ratio")
    const stable = await asked("bedrock", "us.stability.stable-image-ultra-v1:1")
    expect(stable.bodies[0]).toMatchObject({ mode: "text-to-image", aspect_ratio: "1:1" })
  })

  test("sends Fireworks an aspect ratio, or a size for older models", async () => {
    const name = "accounts/fireworks/models/flux-1-dev-fp8"
    const flux = await asked("fireworks", name)
    expect(flux.paths).toEqual([`/workflows/${name}/text_to_image`])
    expect(flux.bodies).toEqual([{ prompt: "a boat", aspect_ratio: "1:1" }])
    const older = await asked("fireworks", "accounts/fireworks/models/SSD-1B")
    expect(older.paths).toEqual(["/image_generation/accounts/fireworks/models/SSD-1B"])
    expect(older.bodies).toEqual([{ prompt: "a boat", width: 1024, height: 1024 }])
    const kontext = "accounts/fireworks/models/flux-kontext-pro"
    expect(() => imagesOf("fireworks").encode(requestOf(), kontext)).toThrow(GatewayError)
  })
})

describe("the image response decoder", () => {
  test("joins the images and adds up the tokens of several calls", async () => {
    const one = {
      data: [{ b64_json: "AAAA" }],
      size: "1024x1024",
      usage: { input_tokens: 10, output_tokens: 272 },
    }
    const result = await imagesOf("openai").decode([responseOf(one), responseOf(one)], requestOf())
    expect(result.images).toHaveLength(2)
    expect(result.usage).toMatchObject({ inputFresh: 20, output: 0, imageOutput: 544 })
    expect(result.facts).toEqual({ size: "1024x1024" })
  })

  test("returns no tokens if only some calls reported them", async () => {
    const counted = { data: [{ b64_json: "AAAA" }], usage: { input_tokens: 1, output_tokens: 2 } }
    const uncounted = { data: [{ b64_json: "AAAA" }] }
    const empty = { ...uncounted, usage: { input_tokens: 0, output_tokens: 0 } }
    for (const other of [uncounted, empty]) {
      const responses = [responseOf(counted), responseOf(other)]
      expect((await imagesOf("openai").decode(responses, requestOf())).usage).toBeUndefined()
    }
  })

  test("treats a filtered image as a rejected request", async () => {
    const blurred = responseOf({ image: "AAAA", finish_reason: "CONTENT_FILTERED", seed: 1 })
    const filtered = responseOf({
      seeds: [1],
      finish_reasons: ["Filter reason: prompt"],
      images: [],
    })
    const rai = responseOf({ predictions: [{ raiFilteredReason: "Violence" }] })
    for (const [vendor, response, words] of [
      ["stability", blurred, "CONTENT_FILTERED"],
      ["bedrock", filtered, "Filter reason: prompt"],
      ["google", rai, "Violence"],
    ] as const) {
      expect(async () => imagesOf(vendor).decode([response], requestOf())).toThrow(
        expect.objectContaining({
          kind: "rejected_by_upstream",
          message: expect.stringContaining(words),
        }),
      )
    }
  })

  test("reads errors in every vendor's format", () => {
    for (const [body, message] of [
      [{ error: { message: "no", type: "image_generation_user_error", code: "x" } }, "no"],
      [{ code: "invalid-argument", error: "no ratio" }, "no ratio"],
      [{ id: "1", name: "bad_request", errors: ["one", "two"] }, "one two"],
      [{ message: "Malformed input request" }, "Malformed input request"],
      ["plain text", "plain text"],
    ] as const) {
      const error = imagesOf("openai").decodeError(400, body, new Headers())
      expect([error.kind, error.message]).toEqual(["rejected_by_upstream", message])
    }
  })
})
