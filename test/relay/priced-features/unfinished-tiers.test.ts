import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { equalLimits } from "../../support/settings.ts"
import { until } from "../../support/until.ts"
import { completion, framesOf, message, response } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor, streamed } from "../scripted-vendor.ts"
import { CHAT, HELLO, nanocredits, onlyReceipt, readUntil } from "../support.ts"

/** The tests check service modes of responses that the gateway does not read completely. */

type Json = Record<string, unknown>

const RESPONSES = "/v1/responses"
const MESSAGES = "/v1/messages"
const MEGABYTE = 1024 * 1024
const LARGE = "x".repeat(1.5 * MEGABYTE)
const GOOGLE = "/v1beta/models/google%2Fm"
const STREAM = ":streamGenerateContent?alt=sse"

interface Format {
  readonly model: string
  readonly path: (isStream: boolean) => string
  readonly body: JsonObject
  /** The field of the request, and the more expensive mode, which costs four times as much. */
  readonly field: string
  readonly mode: string
  /** The mode at half the price; undefined if the vendor has no such mode. */
  readonly cheaper?: string
  /** Returns a response that is not streamed, with a text, and that reports a mode. */
  response(text: string, mode?: string): Json
  frames(answer: Json): string[]
}

const chatAt = (model: string): Format => ({
  model,
  path: () => CHAT,
  body: { messages: HELLO, max_tokens: 50 },
  field: "service_tier",
  mode: "priority",
  cheaper: "flex",
  response: (text, mode) => {
    const { usage, ...rest } = completion({}, {}, { content: text })
    return { ...rest, usage, ...(mode && { service_tier: mode }) }
  },
  frames: (answer) => framesOf(CHAT, answer),
})

const FORMATS: readonly Format[] = [
  chatAt("openai/m"),
  chatAt("compatible/m"),
  {
    ...chatAt("mistral/m"),
    response: (text, mode) => completion({}, mode ? { service_tier: mode } : {}, { content: text }),
  },
  {
    ...chatAt("openai/m"),
    path: () => RESPONSES,
    body: { input: "Hello there, gateway", max_output_tokens: 50, store: false },
    // As at OpenAI, the tier is sent before the usage.
    response: (text, mode) => {
      const { usage, output, ...rest } = response([])
      const [said] = output as [Json]
      const content = [{ type: "output_text", text, annotations: [] }]
      const tier = mode ? { service_tier: mode } : {}
      return { ...rest, output: [{ ...said, content }], ...tier, usage, metadata: {} }
    },
    frames: (answer) => {
      const frames = framesOf(RESPONSES, answer)
      const { service_tier: tier } = answer
      return frames.map((frame) =>
        tier === undefined
          ? frame
          : frame.replace('"service_tier":"auto"', `"service_tier":"${tier}"`),
      )
    },
  },
  {
    model: "anthropic/m",
    path: () => MESSAGES,
    body: { messages: HELLO, max_tokens: 50 },
    field: "speed",
    mode: "fast",
    response: (text, mode) => {
      const answer = message([], mode ? { speed: mode } : {})
      return { ...answer, content: [{ type: "text", text }] }
    },
    frames: (answer) => {
      const { speed } = answer["usage"] as Json
      const reported = `"usage":{"speed":"${speed}",`
      const [begun = "", ...frames] = framesOf(MESSAGES, answer)
      return [speed === undefined ? begun : begun.replace('"usage":{', reported), ...frames]
    },
  },
  {
    model: "google/m",
    path: (isStream) => GOOGLE + (isStream ? STREAM : ":generateContent"),
    body: {
      contents: [{ role: "user", parts: [{ text: "Hello there, gateway" }] }],
      generationConfig: { maxOutputTokens: 50 },
    },
    field: "serviceTier",
    mode: "priority",
    cheaper: "flex",
    response: (text, mode) => ({
      candidates: [
        { index: 0, content: { role: "model", parts: [{ text }] }, finishReason: "STOP" },
      ],
      usageMetadata: {
        promptTokenCount: 100,
        candidatesTokenCount: 10,
        totalTokenCount: 110,
        ...(mode && { serviceTier: mode }),
      },
    }),
    frames: (answer) => {
      const [candidate] = answer["candidates"] as [Json]
      const { usageMetadata } = answer
      const first = { candidates: [{ ...candidate, finishReason: undefined }], usageMetadata }
      return [first, answer].map((frame) => `data: ${JSON.stringify(frame)}\n\n`)
    },
  },
]

let vendor: ScriptedVendor
let gateway: TestGateway
/** Returns the response of the vendor, which waits for `mayAnswer`. */
let sent: () => Response
let mayAnswer = Promise.withResolvers<void>()

beforeAll(async () => {
  vendor = startVendor(async () => {
    await mayAnswer.promise
    return sent()
  })
  const root = vendor.url.replace("/v1", "")
  const price = {
    input: "1",
    output: "10",
    modes: { priority: "4", fast: "4", flex: "0.5" },
  }
  const model = simulated({ price, maxOutput: 50, disconnect: "cancel" })
  gateway = await startGateway({
    settings: { limits: equalLimits(MEGABYTE) },
    providers: {
      openai: provider(vendor.url, "openai"),
      compatible: provider(vendor.url),
      mistral: provider(vendor.url, "mistral"),
      anthropic: provider(root, "anthropic"),
      google: provider(root, "google"),
    },
    models: {
      "openai/m": model,
      "compatible/m": model,
      "mistral/m": model,
      "anthropic/m": model,
      "google/m": model,
    },
  })
})

afterAll(async () => {
  mayAnswer.resolve()
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

interface Charge {
  readonly cost: bigint
  readonly modes: readonly string[] | undefined
}

/**
 * Requests a response.
 * @param named the mode in the request.
 */
async function ask(
  { model, path, body, field }: Format,
  named: string | undefined,
  stream: boolean,
) {
  const caller = await gateway.caller("10")
  const controller = new AbortController()
  const isGoogle = path(stream).startsWith(GOOGLE)
  const answer = fetch(gateway.url + path(stream), {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...body, ...(!isGoogle && { model, stream }), [field]: named }),
    signal: controller.signal,
  })
  const charge = async (): Promise<Charge> => {
    const receipt = await onlyReceipt(gateway, caller)
    const { modes } = receipt as { readonly modes?: readonly string[] }
    return { cost: nanocredits(receipt.cost), modes }
  }
  return { response: answer, leave: () => controller.abort(), charge }
}

/** Returns the charge for a request whose caller disconnects before the vendor answers. */
async function leaveEarly(
  format: Format,
  named: string | undefined,
  stream: boolean,
): Promise<Charge> {
  mayAnswer = Promise.withResolvers()
  const before = vendor.bodies.length
  sent = () => Response.json({})
  const { response: answer, leave, charge } = await ask(format, named, stream)
  await until(() => vendor.bodies.length > before)
  leave()
  await answer.catch(() => undefined)
  const charged = await charge()
  mayAnswer.resolve()
  return charged
}

/** Returns the charge for a response that is larger than the gateway reads. */
async function tooLarge(
  format: Format,
  named: string | undefined,
  reported?: string,
): Promise<Charge> {
  sent = () => Response.json(format.response(LARGE, reported))
  mayAnswer.resolve()
  const { response: answer, charge } = await ask(format, named, false)
  await (await answer).text()
  return charge()
}

/**
 * Returns the charge for a stream.
 * @param isLeft whether the caller disconnects after the first text.
 */
async function streamOf(
  format: Format,
  frames: readonly string[],
  isLeft: boolean,
): Promise<Charge> {
  sent = () => streamed(isLeft ? [frames.join(""), 60_000] : frames)
  mayAnswer.resolve()
  const { response: answer, leave, charge } = await ask(format, undefined, true)
  const reader = (await answer).body?.getReader()
  if (!reader) throw new Error("no body")
  await readUntil(reader, (text) => text.includes("END"))
  if (isLeft) leave()
  else while (!(await reader.read()).done);
  return charge()
}

describe.each(FORMATS)("the service mode of $model, $field, format %#", (format) => {
  const { mode, cheaper } = format
  for (const stream of [false, true]) {
    test(`costs the price of the requested mode if no response could be read, streamed: ${stream}`, async () => {
      const usual = await leaveEarly(format, undefined, stream)
      expect(usual).toMatchObject({ modes: undefined })
      expect(usual.cost).toBeGreaterThan(0n)
      const priority = await leaveEarly(format, mode, stream)
      expect(priority).toEqual({ cost: usual.cost * 4n, modes: [mode] })
      if (cheaper === undefined) return
      // A cheaper mode applies only if the vendor reports it.
      expect(await leaveEarly(format, cheaper, stream)).toEqual(usual)
    })
  }

  test("costs the price reported at the end of a response that is too large", async () => {
    const usual = 200_000n
    expect(await tooLarge(format, undefined)).toEqual({ cost: usual, modes: undefined })
    expect(await tooLarge(format, mode)).toEqual({ cost: usual * 4n, modes: [mode] })
    expect(await tooLarge(format, mode, mode)).toEqual({ cost: usual * 4n, modes: [mode] })
    expect(await tooLarge(format, undefined, mode)).toEqual({ cost: usual * 4n, modes: [mode] })
    expect(await tooLarge(format, mode, "standard")).toEqual({ cost: usual, modes: undefined })
    if (cheaper === undefined) return
    expect(await tooLarge(format, cheaper)).toEqual({ cost: usual, modes: undefined })
    expect(await tooLarge(format, cheaper, cheaper)).toEqual({ cost: usual / 2n, modes: [cheaper] })
  })

  const framesIn = (reported?: string) =>
    format.frames(format.response("Hello there END", reported))

  test("costs the price reported at the start of a stream that breaks off", async () => {
    const usual = 200_000n
    expect(await streamOf(format, framesIn(), false)).toEqual({ cost: usual, modes: undefined })
    const reported = framesIn(mode)
    // Some vendors report the mode only with the usage.
    if (!reported[0]?.includes(mode)) return
    const frames = [reported[0], ...framesIn().slice(1)]
    expect(await streamOf(format, frames, false)).toEqual({ cost: usual * 4n, modes: [mode] })
    if (cheaper === undefined) return
    const [begun = ""] = framesIn(cheaper)
    const cheap = await streamOf(format, [begun, ...frames.slice(1)], false)
    expect(cheap).toEqual({ cost: usual / 2n, modes: [cheaper] })
  })

  test.each([true, false])(
    "costs the price reported in an unfinished stream, disconnected: %p",
    async (isLeft) => {
      const count = framesIn().findIndex((frame) => frame.includes("END")) + 1
      const usual = await streamOf(format, framesIn().slice(0, count), isLeft)
      expect(usual.cost).toBeGreaterThan(0n)
      const frames = framesIn(mode).slice(0, count)
      const isReported = frames.some((frame) => frame.includes(mode))
      const charge = isReported ? { cost: usual.cost * 4n, modes: [mode] } : usual
      expect(await streamOf(format, frames, isLeft)).toEqual(charge)
    },
  )
})
