/** The gateway, the caller and the requests for tests of streamed images. */
import type { ImageEditStreamEvent, ImageGenStreamEvent } from "openai/resources/images"
import {
  provider,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../../support/gateway.ts"
import { png } from "../../../support/png.ts"
import { type ScriptedVendor, startVendor } from "../../scripted-vendor.ts"
import { image } from "./image-support.ts"
import { until } from "../../../support/until.ts"

const TOKENS = { price: { input: "5", output: "40" } } as const
/** Maximum output tokens of an image and its text, for an unknown model. */
export const MAX_OF_IMAGE = 8_192 + 8_192
export const SQUARE = { width: 1024, height: 1024 }

export let gateway: TestGateway
export let caller: TestCaller

/** A vendor that does not support streams. */
export let deaf: ScriptedVendor

export async function setUp(): Promise<void> {
  deaf = startVendor(() =>
    Response.json({ created: 1, data: [{ b64_json: Buffer.from(png(8, 8)).toString("base64") }] }),
  )
  gateway = await startGateway({
    providersAt: (url) => ({
      openai: provider(`${url}/v1`, "openai"),
      deaf: provider(deaf.url, "openai"),
      google: provider(url, "google"),
      stability: provider(url, "stability"),
      together: provider(`${url}/v1`, "together"),
    }),
    models: {
      "openai/gpt-image-1": image(TOKENS),
      "openai/gpt-image-priced": image(),
      "openai/fault-no-usage": image(TOKENS),
      "openai/fault-cut": image(TOKENS),
      "openai/fault-malformed": image(TOKENS),
      "openai/fault-stream-error": image(TOKENS),
      "openai/fault-no-finish": image(TOKENS),
      "openai/fault-stall": image(TOKENS),
      "openai/fault-slow-first-byte": image(TOKENS),
      "openai/priced-stall": image({
        deployments: [{ provider: "openai", model: "fault-stall", weight: 1 }],
      }),
      "openai/priced-cut": image({
        deployments: [{ provider: "openai", model: "fault-cut", weight: 1 }],
      }),
      "openai/dall-e-2": image(),
      "openai/two": image({
        ...TOKENS,
        deployments: [
          { provider: "openai", model: "fault-no-finish", weight: 1_000_000 },
          { provider: "openai", model: "gpt-image-1", weight: 1 },
        ],
      }),
      "deaf/gpt-image-1": image(),
      "google/gemini-2.5-flash-image": image({ price: { input: "0.3", output: "30" } }),
      "stability/core": image(),
      "stability/inpaint": image(),
      "together/black-forest-labs/FLUX.1-schnell": image(),
    },
    settings: {
      limits: {
        bodyBytes: 1 << 22,
        mediaBytes: 1 << 22,
        responseBytes: 1 << 26,
        mediaPrivate: true,
      },
    },
  })
  caller = await gateway.caller("100")
}

export async function tearDown(): Promise<void> {
  await gateway[Symbol.asyncDispose]()
  deaf[Symbol.dispose]()
}

type AnyEvent = ImageGenStreamEvent | ImageEditStreamEvent

export async function all<T extends AnyEvent>(stream: AsyncIterable<T>): Promise<T[]> {
  return await Array.fromAsync(stream)
}

export function bytesOf(event: AnyEvent | undefined): Buffer {
  return Buffer.from(event?.b64_json ?? "", "base64")
}

export interface Seen {
  readonly status: string
  readonly estimated: boolean
  readonly usage: Readonly<Record<string, number>>
  readonly cost: string
  readonly hold: string
  readonly attempts: readonly { readonly outcome: string }[]
}

export async function receiptOf(headers: Headers): Promise<Seen> {
  return (await (await caller.get(`/v1/receipts/${headers.get("x-request-id")}`)).json()) as Seen
}

export function generate(body: object, headers: Record<string, string> = {}): Promise<Response> {
  const order = { prompt: "an owl", stream: true, ...body }
  return caller.post("/v1/images/generations", order, headers)
}

export async function nothingHeld(): Promise<void> {
  await until(async () => {
    const credits = (await (await caller.get("/v1/credits")).json()) as { held: string }
    return credits.held === "0"
  })
}
