import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { parseCredits } from "../../../../src/ledger/money.ts"
import { audioModels, heardIn, wave } from "../../../support/audio.ts"
import {
  type GatewayOptions,
  PLAIN_PRICE,
  provider,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../../support/gateway.ts"
import {
  type Handler,
  type ScriptedVendor,
  startVendor,
  wholeResponse,
} from "../../scripted-vendor.ts"
import { until } from "../../../support/until.ts"

const SOUND = wave(3)
/** The simulator's transcript has two sentences, which are separate segments. */
const [FIRST = "", SECOND = ""] = heardIn(SOUND).split(/(?<=\.) /)
const MODEL = "mistral/voxtral-mini"

let gateway: TestGateway
let caller: TestCaller
let vendor: ScriptedVendor
let answer: Handler

/** A translator that answers in capital letters. */
const loudly: Handler = (_, number) =>
  Response.json(wholeResponse(lastText(vendor.bodies[number - 1]).toUpperCase()))

function lastText(body: unknown): string {
  const { messages } = body as { messages: { content: string }[] }
  return messages.at(-1)?.content ?? ""
}

function options(address: string, translationModel?: string): GatewayOptions {
  const audio = audioModels()
  const text = { kind: "chat", price: PLAIN_PRICE, maxOutput: 8_000 } as const
  const withFee = { ...text, price: { ...PLAIN_PRICE, request: "1000000" } }
  return {
    providersAt: (url) => ({ ...audio.providersAt?.(url), text: provider(address) }),
    models: {
      ...audio.models,
      "text/translator": text,
      "text/with-fee": withFee,
      "text/unpriced": { kind: "chat" },
    },
    settings: translationModel === undefined ? {} : { translationModel },
  }
}

beforeAll(async () => {
  vendor = startVendor((request, number) => answer(request, number))
  gateway = await startGateway(options(vendor.url, "text/translator"))
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

interface Sent {
  readonly fields?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: string
  readonly at?: TestGateway
}

function translate({ fields = {}, headers = {}, key = caller.key, at = gateway }: Sent = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries({ model: MODEL, ...fields })) form.append(name, value)
  form.append("file", new File([SOUND], "speech.wav"))
  return fetch(`${at.url}/v1/audio/translations`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: form,
  })
}

interface Receipt {
  readonly status: string
  readonly hold: string
  readonly model: string
  readonly endpoint: string
  readonly estimated: boolean
  readonly cost: string
  readonly usage: Readonly<Record<string, number>>
  readonly losses: readonly object[]
}

async function receipt(id: string | null, owner = caller): Promise<Receipt> {
  return (await (await owner.get(`/v1/receipts/${id}`)).json()) as Receipt
}

async function nothingHeld(owner = caller): Promise<void> {
  await until(async () => {
    const response = await owner.get("/v1/credits")
    const credits = (await response.json()) as { available: string; balance: string }
    return credits.available === credits.balance
  })
}

async function codeOf(response: Response) {
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  return { status: response.status, ...error }
}

describe("a translation by a model that only transcribes", () => {
  test("requires a hold that includes the fee of each call that the text may require", async () => {
    answer = loudly
    await using other = await startGateway(options(vendor.url, "text/with-fee"))
    const owner = await other.caller("10")
    const response = await translate({ at: other, key: owner.key })
    const translated = await receipt(response.headers.get("x-tollgate-also-charged"), owner)
    expect(translated.usage).toMatchObject({ request: 1 })
    expect(parseCredits(translated.hold)).toBeGreaterThan(parseCredits("2"))
  })

  test("calls a text model, and reports a loss", async () => {
    answer = loudly
    const before = await caller.balance()
    const response = await translate()
    expect(response.status).toBe(200)
    expect(((await response.json()) as { text: string }).text).toBe(heardIn(SOUND).toUpperCase())
    expect(response.headers.get("x-tollgate-losses")).toBe("translation:emulated")
    expect(response.headers.get("x-tollgate-provider")).toBe("mistral")

    const id = response.headers.get("x-request-id")
    const also = response.headers.get("x-tollgate-also-charged")
    expect(also).toBe(`${id}-translation`)
    const heard = await receipt(id)
    expect(heard).toMatchObject({ status: "settled", model: MODEL, usage: { second: 3 } })
    expect(heard.losses).toEqual([{ name: "translation", effect: "emulated" }])
    const translated = await receipt(also)
    expect(translated).toMatchObject({
      status: "settled",
      model: "text/translator",
      endpoint: "/v1/audio/translations",
      estimated: false,
      usage: { input: 10, output: 1 },
    })
    const cost = parseCredits(heard.cost) + parseCredits(translated.cost)
    expect(parseCredits(response.headers.get("x-tollgate-cost") ?? "")).toBe(cost)
    expect(before - (await caller.balance())).toBe(cost)
    const balance = response.headers.get("x-tollgate-balance") ?? ""
    expect(parseCredits(balance)).toBe(await caller.balance())
    await nothingHeld()
  })

  test("contains each segment with its times", async () => {
    answer = loudly
    const fields = { response_format: "verbose_json" }
    const body = (await (await translate({ fields })).json()) as {
      task: string
      language: string
      text: string
      segments: { start: number; text: string }[]
    }
    expect(body).toMatchObject({ task: "translate", language: "english", duration: 3 })
    expect(body.text).toBe(heardIn(SOUND).toUpperCase())
    expect(body.segments.map(({ text }) => text)).toEqual([
      FIRST.toUpperCase(),
      SECOND.toUpperCase(),
    ])
    expect(body.segments[1]?.start).toBeGreaterThan(0)
    expect(lastText(vendor.bodies.at(-1))).toBe(`1|${FIRST}\n2|${SECOND}`)

    const cues = await (await translate({ fields: { response_format: "srt" } })).text()
    expect(cues).toContain(`1\n00:00:00,000 --> 00:00:01,`)
    expect(cues).toContain(FIRST.toUpperCase())
    const vtt = await (await translate({ fields: { response_format: "vtt" } })).text()
    expect(vtt).toStartWith("WEBVTT")
    expect(vtt).toContain(SECOND.toUpperCase())
    const text = await translate({ fields: { response_format: "text" } })
    expect(await text.text()).toBe(heardIn(SOUND).toUpperCase())
  })

  test("sends the prompt only to the text model, and not to the transcription model", async () => {
    answer = loudly
    const response = await translate({ fields: { prompt: "Tollgate, not toll gate" } })
    expect(response.headers.get("x-tollgate-losses")).toBe("translation:emulated")
    await response.body?.cancel()
    expect(JSON.stringify(vendor.bodies.at(-1))).toContain("Tollgate, not toll gate")
  })

  test("reports other unsupported fields as lost", async () => {
    answer = loudly
    const fields = { response_format: "verbose_json", "timestamp_granularities[]": "word" }
    const response = await translate({ fields })
    expect(response.headers.get("x-tollgate-losses")).toBe(
      "translation:emulated, timestamp_granularities:dropped",
    )
    await response.body?.cancel()
    const events = await translate({ fields: { stream: "true" } })
    expect(events.headers.get("x-tollgate-losses")).toContain("stream:approximated")
    expect(await events.text()).toContain(JSON.stringify(heardIn(SOUND).toUpperCase()))
  })

  test("results in a charge by the gateway's own count if the vendor reports no usage", async () => {
    answer = () => Response.json({ ...wholeResponse("A sound."), usage: undefined })
    const response = await translate()
    await response.body?.cancel()
    const translated = await receipt(response.headers.get("x-tollgate-also-charged"))
    expect(translated.estimated).toBe(true)
    expect(translated.usage["output"]).toBe(3)
  })

  test("calls no text model if the audio is in English", async () => {
    const calls = vendor.bodies.length
    const response = await translate({ fields: { model: "deepgram/nova-3" } })
    expect(((await response.json()) as { text: string }).text).toBe(heardIn(SOUND))
    expect(vendor.bodies.length).toBe(calls)
    expect(response.headers.get("x-tollgate-also-charged")).toBeNull()
    await nothingHeld()
    const id = response.headers.get("x-request-id")
    expect((await receipt(`${id}-translation`)).status).toBe("released")
  })

  test("works with a vendor of every dialect", async () => {
    const url = gateway.simulator.url
    const others: GatewayOptions = {
      ...options(`${url}/v1`, "claude/echo"),
      providers: { claude: provider(url, "anthropic") },
    }
    const models = {
      ...others.models,
      "claude/echo": { kind: "chat", price: PLAIN_PRICE },
    } as const
    await using other = await startGateway({ ...others, models })
    const sender = await other.caller("10")
    const response = await translate({ at: other, key: sender.key })
    expect(((await response.json()) as { text: string }).text).toBe(heardIn(SOUND))
    const also = response.headers.get("x-tollgate-also-charged")
    expect(await receipt(also, sender)).toMatchObject({ model: "claude/echo", status: "settled" })
  })
})

describe("a translation that needs a text model", () => {
  test("fails if the key can access no text model, and the error names the setting", async () => {
    const { key } = await gateway.caller("10", { models: ["mistral/*"] })
    const requests = gateway.simulator.requests.length
    const rejected = await codeOf(await translate({ key }))
    expect(rejected).toMatchObject({ status: 400, code: "model_not_supported" })
    expect(rejected.message).toContain("defaults.translation_model")
    expect(gateway.simulator.requests.length).toBe(requests)
  })

  test("uses the first text model that the key can access", async () => {
    const sender = await gateway.caller("10", { models: ["mistral/*", "sim/*"] })
    const response = await translate({ key: sender.key })
    expect(response.status).toBe(200)
    await response.body?.cancel()
    const also = response.headers.get("x-tollgate-also-charged")
    expect((await receipt(also, sender)).model).toBe("sim/echo")
  })

  test("fails if the setting does not name a text model with a price, and the error shows its value", async () => {
    for (const wrong of ["text/unpriced", "text/nobody", MODEL]) {
      await using other = await startGateway(options(vendor.url, wrong))
      const sender = await other.caller("10")
      const rejected = await codeOf(await translate({ at: other, key: sender.key }))
      expect(rejected).toMatchObject({ status: 400, code: "model_not_supported" })
      expect(rejected.message).toContain(`'${wrong}'`)
    }
  })

  test("fails for a strict caller before any call", async () => {
    const requests = gateway.simulator.requests.length
    const response = await translate({ headers: { "x-tollgate-strict": "true" } })
    expect(await codeOf(response)).toMatchObject({ status: 400, code: "not_carried" })
    expect(gateway.simulator.requests.length).toBe(requests)
  })

  test("requires credits for both calls before either is made", async () => {
    // Three seconds cost 0.0003 credits. The maximum cost of the text model is held as well.
    const poor = await gateway.caller("0.001")
    const requests = gateway.simulator.requests.length
    const calls = vendor.bodies.length
    const response = await translate({ key: poor.key })
    expect(await codeOf(response)).toMatchObject({ status: 402, code: "insufficient_credits" })
    expect(gateway.simulator.requests.length).toBe(requests)
    expect(vendor.bodies.length).toBe(calls)
    await nothingHeld(poor)
    expect(await poor.balance()).toBe(parseCredits("0.001"))
  })

  const failures: Readonly<Record<string, Handler>> = {
    "a text model that fails": () => new Response("no", { status: 500 }),
    "an empty answer of the text model": () => Response.json(wholeResponse("")),
    "a truncated answer of the text model": () => {
      const whole = wholeResponse("HALF") as { choices: object[] }
      const choices = whole.choices.map((choice) => ({ ...choice, finish_reason: "length" }))
      return Response.json({ ...whole, choices })
    },
    "a text model that joins the lines": () => Response.json(wholeResponse("1|ALL IN ONE LINE")),
  }
  for (const [name, failing] of Object.entries(failures)) {
    test(`costs nothing: ${name}`, async () => {
      answer = failing
      const before = await caller.balance()
      const response = await translate({ fields: { response_format: "srt" } })
      expect(response.status).toBe(502)
      await response.body?.cancel()
      await nothingHeld()
      expect(await caller.balance()).toBe(before)
      const id = response.headers.get("x-request-id")
      expect((await receipt(id)).status).toBe("released")
      expect((await receipt(`${id}-translation`)).status).toBe("released")
    })
  }

  test("costs nothing if the transcription fails, and calls no text model", async () => {
    answer = loudly
    const before = await caller.balance()
    const calls = vendor.bodies.length
    const headers = { "x-simulate-fault": "500" }
    await using other = await startGateway({
      ...options(vendor.url, "text/translator"),
      providersAt: (url) => ({
        ...options(vendor.url).providersAt?.(url),
        mistral: { ...provider(`${url}/v1`, "mistral"), headers },
      }),
    })
    const sender = await other.caller("10")
    const response = await translate({ at: other, key: sender.key })
    expect(response.status).toBe(502)
    await response.body?.cancel()
    await nothingHeld(sender)
    expect(vendor.bodies.length).toBe(calls)
    expect(await caller.balance()).toBe(before)
  })

  test("counts as one request toward the caller's rate limit", async () => {
    answer = loudly
    const sender = await gateway.caller("10", { requestsPerMinute: 60 })
    const response = await translate({ key: sender.key })
    expect(response.headers.get("x-ratelimit-remaining-requests")).toBe("59")
    await response.body?.cancel()
    const next = await translate({ key: sender.key })
    expect(next.headers.get("x-ratelimit-remaining-requests")).toBe("58")
    await next.body?.cancel()
  })
})
