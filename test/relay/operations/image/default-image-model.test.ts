import { afterAll, beforeAll, expect, test } from "bun:test"
import { startGateway, provider, type TestGateway } from "../../../support/gateway.ts"
import { png, pngFile } from "../../../support/png.ts"
import { image, sendForm } from "./image-support.ts"

const FIREWORKS = "fireworks/accounts/fireworks/models/flux-1-schnell-fp8"
const GOOGLE = "google/gemini-2.5-flash-image"
const XAI = "xai/grok-imagine-image"

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway({
    providersAt: (url) => ({
      fireworks: provider(`${url}/inference/v1`, "fireworks"),
      google: provider(url, "google"),
      xai: provider(`${url}/v1`, "xai"),
    }),
    models: {
      [FIREWORKS]: image(),
      [GOOGLE]: image({ price: { input: "0.3", output: "30" } }),
      [XAI]: image(),
    },
  })
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** Returns the provider that served the request of a caller that named no model. */
async function servedBy(
  task: "generations" | "edits" | "variations",
  allows?: readonly string[],
): Promise<string> {
  const caller = await gateway.caller("10", allows && { models: [...allows] })
  const file = ["image", pngFile(png(64, 64))] as const
  const form = {
    prompt: ["prompt", "a hat"] as const,
    mask: ["mask", pngFile(png(64, 64))] as const,
  }
  const response =
    task === "generations"
      ? await caller.post("/v1/images/generations", { prompt: "a hat" })
      : await sendForm(
          gateway,
          caller,
          task,
          task === "edits" ? [form.prompt, file, form.mask] : [file],
        )
  const body = (await response.json()) as { error?: { code: string } }
  return response.headers.get("x-tollgate-provider") ?? body.error?.code ?? ""
}

test("an image request that names no model uses the first model that supports the task", async () => {
  expect(await servedBy("generations")).toBe("fireworks")
  expect(await servedBy("edits")).toBe("google")
  expect(await servedBy("variations")).toBe("google")
  expect(await servedBy("edits", [FIREWORKS])).toBe("model_not_supported")
})

test("the configured default image model takes precedence for tasks that it supports", async () => {
  const { settings } = gateway
  await gateway.app.apply({ ...settings, imageModel: XAI })
  expect(await servedBy("generations")).toBe("xai")
  expect(await servedBy("edits")).toBe("xai")
  expect(await servedBy("edits", [GOOGLE])).toBe("google")
  await gateway.app.apply({ ...settings, imageModel: FIREWORKS })
  expect(await servedBy("generations")).toBe("fireworks")
  expect(await servedBy("edits")).toBe("google")
  await gateway.app.apply(settings)
})
