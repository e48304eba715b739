import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { Database } from "bun:sqlite"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { databasePath } from "../../src/store/book-place.ts"
import { wave } from "../support/audio.ts"
import {
  provider,
  startGateway,
  type TestCaller,
  type TestGateway,
  until,
} from "../support/gateway.ts"

/** A request as the vendor sees it come. */
interface Heard {
  bytes: number
  isOver: boolean
  isBroken: boolean
  text: string
}

type Answer = (heard: Heard, number: number) => Response | Promise<Response>

const SOUND = wave(120)
for (let at = 44; at < SOUND.length; at += 65_536) {
  crypto.getRandomValues(SOUND.subarray(at, Math.min(at + 65_536, SOUND.length)))
}
const CHECKSUM = Bun.hash.crc32(SOUND)

const whole: Answer = async (heard) => {
  await until(() => heard.isOver)
  return Response.json({ text: heard.text })
}

let heard: Heard[] = []
let answer: Answer = whole
let vendor: Bun.Server<undefined>
let gateway: TestGateway
let caller: TestCaller

/** Reads a request to its end, however long that takes, while it may be answered. */
async function hear(request: Request, seen: Heard): Promise<void> {
  const pieces: Uint8Array[] = []
  try {
    for await (const piece of request.body ?? []) {
      seen.bytes += piece.byteLength
      pieces.push(piece)
    }
    const type = request.headers.get("content-type") ?? ""
    const form = await new Response(Buffer.concat(pieces), {
      headers: { "content-type": type },
    }).formData()
    const file = form.get("file")
    const bytes = file instanceof Blob ? await file.bytes() : new Uint8Array()
    seen.text = `${Bun.hash.crc32(bytes)} ${form.get("language")}`
    seen.isOver = true
  } catch {
    seen.isBroken = true
  }
}

beforeAll(async () => {
  vendor = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      const seen: Heard = { bytes: 0, isOver: false, isBroken: false, text: "" }
      heard.push(seen)
      void hear(request, seen)
      return answer(seen, heard.length)
    },
  })
  const url = `http://127.0.0.1:${vendor.port}`
  gateway = await startGateway({
    providers: { one: provider(`${url}/one`), two: provider(`${url}/two`) },
    providersAt: (simulator) => ({ google: provider(simulator, "google") }),
    models: {
      "one/whisper": { kind: "transcription", price: { second: "100" } },
      "one/gpt-4o-transcribe": { kind: "transcription", price: { second: "100" } },
      "one/tokens": {
        kind: "transcription",
        price: { input: "1000", audio_input: "0", output: "0" },
      },
      "google/listen": {
        kind: "transcription",
        price: { second: "100" },
        deployments: [{ provider: "google", model: "gemini-listen", weight: 1 }],
      },
      "one/twice": {
        kind: "transcription",
        price: { second: "100" },
        deployments: [
          { provider: "one", model: "whisper", weight: 1 },
          { provider: "two", model: "whisper", weight: 0 },
        ],
      },
    },
  })
  caller = await gateway.caller("10")
})

afterEach(() => {
  heard = []
  answer = whole
  gateway.heard.length = 0
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await vendor.stop(true)
})

interface SendOptions {
  readonly isLengthTold?: boolean
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A form that is sent as far as it is let go. */
class SlowForm {
  readonly #bytes: Buffer
  readonly #stream: ReadableStream<Uint8Array>
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #sent = 0

  /** @param parts fields, and the sound where there is no value. */
  constructor(...parts: readonly (readonly [name: string, value?: string])[]) {
    const pieces = parts.map(([name, value]) => {
      const head = `--cut\r\ncontent-disposition: form-data; name="${name}"`
      if (value !== undefined) return Buffer.from(`${head}\r\n\r\n${value}\r\n`)
      const file = Buffer.from(`${head}; filename="a.wav"\r\n\r\n`)
      return Buffer.concat([file, SOUND, Buffer.from("\r\n")])
    })
    this.#bytes = Buffer.concat([...pieces, Buffer.from("--cut--\r\n")])
    this.#stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller
      },
    })
  }

  send(options: SendOptions = {}) {
    const { isLengthTold = true, key = caller.key, headers = {} } = options
    const length = { "content-length": String(this.#bytes.length) }
    return fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "multipart/form-data; boundary=cut",
        ...(isLengthTold && length),
        ...headers,
      },
      body: this.#stream,
      signal: this.leaving.signal,
    })
  }

  readonly leaving = new AbortController()

  /** Lets it go up to a part of the whole. */
  upTo(part: number): void {
    const end = Math.round(this.#bytes.length * part)
    while (this.#sent < end) {
      const next = Math.min(end, this.#sent + 50_000)
      this.#controller?.enqueue(new Uint8Array(this.#bytes.subarray(this.#sent, next)))
      this.#sent = next
    }
    if (part === 1) this.#controller?.close()
  }
}

const MODEL = ["model", "one/whisper"] as const
const LANGUAGE = ["language", "de"] as const
const FILE = ["file"] as const

async function textOf(response: Response): Promise<string> {
  return ((await response.json()) as { text: string }).text
}

interface Receipt {
  readonly status: string
  readonly hold: string
  readonly attempts: readonly { readonly deployment: string; readonly outcome: string }[]
}

async function receiptOf(response: Response, owner = caller): Promise<Receipt> {
  const id = response.headers.get("x-request-id")
  return (await (await owner.get(`/v1/receipts/${id}`)).json()) as Receipt
}

/** The requests of an account that the book knows, whatever became of them. */
function requestsOf({ account }: TestCaller): string[] {
  using book = new Database(databasePath(gateway.settings.data), { readonly: true })
  const query = book.query<{ request: string }, [string]>(
    "SELECT request FROM entries WHERE account = ? AND request IS NOT NULL",
  )
  return query.all(account.id).map(({ request }) => request)
}

/** Nothing is held and no file is left, and only what is said was charged. */
async function endsWith(before: bigint, charged: string): Promise<void> {
  await until(async () => {
    const credits = (await (await caller.get("/v1/credits")).json()) as { held: string }
    return credits.held === "0"
  })
  expect(await caller.balance()).toBe(before - BigInt(Math.round(Number(charged) * 1e9)))
  expect(readdirSync(join(gateway.settings.data, "uploads"))).toEqual([])
}

const COST = "0.012"

describe("a long sound behind its model", () => {
  test("goes up while it comes, and is charged once", async () => {
    const before = await caller.balance()
    const form = new SlowForm(MODEL, LANGUAGE, FILE)
    const response = form.send()
    form.upTo(0.5)
    await until(() => (heard[0]?.bytes ?? 0) > SOUND.length * 0.4)
    expect(heard[0]?.isOver).toBeFalse()
    form.upTo(1)
    expect(await textOf(await response)).toBe(`${CHECKSUM} de`)
    expect(heard.length).toBe(1)
    const { status, attempts } = await receiptOf(await response)
    expect(status).toBe("settled")
    expect(attempts).toEqual([
      expect.objectContaining({ deployment: "one/whisper", outcome: "ok" }),
    ])
    await endsWith(before, COST)
  })

  test("is sent again when a field comes behind it", async () => {
    const before = await caller.balance()
    const form = new SlowForm(MODEL, FILE, LANGUAGE)
    const response = form.send()
    form.upTo(0.5)
    await until(() => (heard[0]?.bytes ?? 0) > SOUND.length * 0.4)
    form.upTo(1)
    expect(await textOf(await response)).toBe(`${CHECKSUM} de`)
    expect(heard.length).toBe(2)
    await until(() => heard[0]?.isBroken === true)
    // What is thrown away was never whole: there is nothing that a vendor could bill.
    expect(heard[0]?.bytes).toBeLessThan(SOUND.length)
    expect((await receiptOf(await response)).status).toBe("settled")
    await endsWith(before, COST)
  })

  test("is one request of its key's rate, also when it is sent again", async () => {
    const limited = await gateway.caller("10", { requestsPerMinute: 60 })
    const form = new SlowForm(MODEL, FILE, LANGUAGE)
    const response = form.send({ key: limited.key })
    form.upTo(0.5)
    await until(() => (heard[0]?.bytes ?? 0) > SOUND.length * 0.4)
    form.upTo(1)
    expect((await response).status).toBe(200)
    const chat = { model: "sim/echo", messages: [{ role: "user", content: "x" }] }
    const after = await limited.post("/v1/chat/completions", chat)
    expect(after.headers.get("x-ratelimit-remaining-requests")).toBe("58")
    await after.body?.cancel()
  })

  test("is not waited for by a vendor whose caller leaves", async () => {
    const before = await caller.balance()
    const form = new SlowForm(MODEL, FILE)
    const response = form.send()
    form.upTo(0.5)
    await until(() => (heard[0]?.bytes ?? 0) > SOUND.length * 0.4)
    form.leaving.abort()
    await expect(response).rejects.toThrow()
    await until(() => heard[0]?.isBroken === true)
    await endsWith(before, "0")
    expect(gateway.heard).toEqual([])
  })

  test("is sent again to a vendor who gave up on it", async () => {
    const before = await caller.balance()
    let isAnswered = false
    answer = (seen, number) => {
      if (number > 1) return whole(seen, number)
      isAnswered = true
      return new Response("too slow", { status: 408 })
    }
    const form = new SlowForm(MODEL, FILE)
    const response = form.send()
    form.upTo(0.5)
    await until(() => isAnswered && heard[0]?.isBroken === true)
    form.upTo(1)
    expect(await textOf(await response)).toBe(`${CHECKSUM} null`)
    expect((await receiptOf(await response)).attempts.length).toBe(1)
    expect(gateway.heard).toEqual([])
    await endsWith(before, COST)
  })

  test("is sent to the next deployment when the first fails with all of it", async () => {
    const before = await caller.balance()
    answer = async (seen, number) => {
      if (number > 1) return whole(seen, number)
      await until(() => seen.isOver)
      return new Response("broken", { status: 500 })
    }
    const form = new SlowForm(["model", "one/twice"], FILE)
    const response = form.send()
    form.upTo(0.5)
    await until(() => (heard[0]?.bytes ?? 0) > SOUND.length * 0.4)
    form.upTo(1)
    expect(await textOf(await response)).toBe(`${CHECKSUM} null`)
    const { attempts } = await receiptOf(await response)
    expect(attempts.map(({ deployment }) => deployment)).toEqual(["one/whisper", "two/whisper"])
    await endsWith(before, COST)
  })
})

describe("the answer to what was forwarded", () => {
  test("is the vendor's refusal, where it refuses the whole of it", async () => {
    const before = await caller.balance()
    answer = async (seen) => {
      await until(() => seen.isOver)
      return Response.json({ error: { message: "nothing but silence" } }, { status: 400 })
    }
    const form = new SlowForm(MODEL, FILE)
    const response = form.send()
    form.upTo(0.5)
    await until(() => (heard[0]?.bytes ?? 0) > SOUND.length * 0.4)
    form.upTo(1)
    const refused = await response
    expect(refused.status).toBe(400)
    expect(JSON.stringify(await refused.json())).toContain("nothing but silence")
    const { status, attempts } = await receiptOf(refused)
    expect(status).toBe("released")
    expect(attempts.length).toBe(1)
    expect(heard.length).toBe(1)
    await endsWith(before, "0")
  })

  test("may begin while the vendor still reads", async () => {
    const before = await caller.balance()
    answer = (seen) => {
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          const say = (event: object): void =>
            controller.enqueue(Buffer.from(`data: ${JSON.stringify(event)}\n\n`))
          await until(() => seen.bytes > SOUND.length * 0.9 || seen.isOver)
          say({ type: "transcript.text.delta", delta: "a" })
          await until(() => seen.isOver)
          say({ type: "transcript.text.done", text: seen.text })
          controller.close()
        },
      })
      return new Response(body, { headers: { "content-type": "text/event-stream" } })
    }
    const form = new SlowForm(["model", "one/gpt-4o-transcribe"], ["stream", "true"], FILE)
    const response = form.send()
    form.upTo(0.5)
    await until(() => (heard[0]?.bytes ?? 0) > SOUND.length * 0.4)
    form.upTo(1)
    expect(await (await response).text()).toContain(`${CHECKSUM} null`)
    expect((await receiptOf(await response)).status).toBe("settled")
    await endsWith(before, COST)
  })
})

describe("a request that turns out different from what was forwarded", () => {
  test("keeps its id, and the book knows no other request", async () => {
    const sender = await gateway.caller("10")
    const form = new SlowForm(MODEL, FILE, LANGUAGE)
    const response = form.send({ key: sender.key })
    form.upTo(0.5)
    await until(() => (heard[0]?.bytes ?? 0) > SOUND.length * 0.4)
    form.upTo(1)
    const answered = await response
    expect(await textOf(answered)).toBe(`${CHECKSUM} de`)
    expect((await receiptOf(answered, sender)).status).toBe("settled")
    expect(requestsOf(sender)).toEqual([answered.headers.get("x-request-id") ?? ""])
  })

  test("needs money for one request alone", async () => {
    // Until the field behind it has come, the sound seems to be a second longer.
    const exact = await gateway.caller("0.0121")
    const form = new SlowForm(MODEL, FILE, LANGUAGE)
    const response = form.send({ key: exact.key })
    form.upTo(0.5)
    await until(() => (heard[0]?.bytes ?? 0) > SOUND.length * 0.4)
    form.upTo(1)
    expect((await response).status).toBe(200)
    expect(await exact.balance()).toBe(100_000n)
  })

  test("is held for what it turned out to be", async () => {
    const prompt = "a prompt behind the sound"
    const form = new SlowForm(["model", "one/tokens"], FILE, ["prompt", prompt])
    const response = form.send()
    form.upTo(0.5)
    await until(() => (heard[0]?.bytes ?? 0) > SOUND.length * 0.4)
    form.upTo(1)
    const whole = new SlowForm(["model", "one/tokens"], ["prompt", prompt], FILE)
    const other = whole.send({ isLengthTold: false })
    whole.upTo(1)
    const { hold } = await receiptOf(await response)
    expect(Number(hold)).toBeGreaterThan(0)
    expect(hold).toBe((await receiptOf(await other)).hold)
  })

  test("is refused when there is no money for it, and nothing stays held", async () => {
    // The frame of 256 tokens is held without a prompt, and no byte of one beside it.
    const poor = await gateway.caller("0.256")
    const form = new SlowForm(["model", "one/tokens"], FILE, ["prompt", "x"])
    const response = form.send({ key: poor.key })
    form.upTo(0.5)
    await until(() => (heard[0]?.bytes ?? 0) > SOUND.length * 0.4)
    form.upTo(1)
    const refused = await response
    expect(refused.status).toBe(402)
    expect(await refused.json()).toMatchObject({ error: { required: "0.257" } })
    await until(() => heard[0]?.isBroken === true)
    expect(heard.length).toBe(1)
    await until(async () => {
      const { held } = (await (await poor.get("/v1/credits")).json()) as { held: string }
      return held === "0"
    })
    expect(requestsOf(poor)).toEqual([refused.headers.get("x-request-id") ?? ""])
    expect((await receiptOf(refused, poor)).status).toBe("released")
  })

  test("is refused when its model is named again", async () => {
    const before = await caller.balance()
    const form = new SlowForm(MODEL, FILE, MODEL)
    const response = form.send()
    form.upTo(0.5)
    await until(() => (heard[0]?.bytes ?? 0) > SOUND.length * 0.4)
    form.upTo(1)
    const refused = await response
    expect(refused.status).toBe(400)
    expect((await receiptOf(refused)).status).toBe("released")
    await until(() => heard[0]?.isBroken === true)
    await endsWith(before, "0")
  })

  test("is read on when its vendor answers before it is complete", async () => {
    const before = await caller.balance()
    let answers = 0
    answer = (seen, number) => {
      if (++answers > 1) return whole(seen, number)
      return Response.json({ text: "of half a sound" })
    }
    const form = new SlowForm(MODEL, FILE)
    const response = form.send()
    form.upTo(0.5)
    await until(() => heard[0]?.isBroken === true)
    form.upTo(1)
    expect(await textOf(await response)).toBe(`${CHECKSUM} null`)
    expect(heard.length).toBe(2)
    await endsWith(before, COST)
  })
})

describe("a sound that waits until it is whole", () => {
  const cases: Readonly<Record<string, [SlowForm, boolean]>> = {
    "before its model": [new SlowForm(FILE, MODEL), true],
    "of a body that does not say how long it is": [new SlowForm(MODEL, FILE), false],
  }
  for (const [name, [form, isLengthTold]] of Object.entries(cases)) {
    test(name, async () => {
      const before = await caller.balance()
      const response = form.send({ isLengthTold })
      form.upTo(0.9)
      // The gateway has begun to keep it once it has answered requests that came after.
      for (let turn = 0; turn < 20; turn++) await (await caller.get("/v1/models")).text()
      expect(heard.length).toBe(0)
      form.upTo(1)
      expect(await textOf(await response)).toBe(`${CHECKSUM} null`)
      await endsWith(before, COST)
    })
  }

  test("because nobody would pay for it", async () => {
    const poor = await gateway.caller("0.001")
    const form = new SlowForm(MODEL, FILE)
    const response = form.send({ key: poor.key })
    form.upTo(1)
    expect((await response).status).toBe(402)
    expect(heard.length).toBe(0)
  })

  test("because nobody would pay for it, and counts once", async () => {
    const poor = await gateway.caller("0.001", { requestsPerMinute: 60 })
    const form = new SlowForm(MODEL, FILE)
    const response = form.send({ key: poor.key })
    form.upTo(1)
    expect((await response).status).toBe(402)
    const chat = { model: "sim/echo", messages: [{ role: "user", content: "x" }], max_tokens: 1 }
    const after = await poor.post("/v1/chat/completions", chat)
    expect(after.headers.get("x-ratelimit-remaining-requests")).toBe("58")
    await after.body?.cancel()
  })

  test("because its vendor takes it inside JSON", async () => {
    const before = gateway.simulator.requests.length
    const form = new SlowForm(["model", "google/listen"], FILE)
    const response = form.send()
    form.upTo(0.5)
    for (let turn = 0; turn < 20; turn++) await (await caller.get("/v1/models")).text()
    form.upTo(1)
    expect((await response).status).toBe(200)
    expect(gateway.simulator.requests.length).toBe(before + 1)
  })

  test("because a header is wrong", async () => {
    const before = await caller.balance()
    const form = new SlowForm(MODEL, FILE)
    const response = form.send({ headers: { "x-tollgate-strict": "perhaps" } })
    form.upTo(0.5)
    expect((await response).status).toBe(400)
    form.leaving.abort()
    await until(() => readdirSync(join(gateway.settings.data, "uploads")).length === 0)
    expect(heard.length).toBe(0)
    await endsWith(before, "0")
  })

  test("because something is wrong with it", async () => {
    const before = await caller.balance()
    for (const wrong of [
      ["temperature", "7"],
      ["model", "one/nothing"],
    ] as const) {
      const form = new SlowForm(...(wrong[0] === "model" ? [] : [MODEL]), wrong, FILE)
      const response = form.send()
      form.upTo(1)
      expect([400, 404]).toContain((await response).status)
    }
    expect(heard.length).toBe(0)
    await endsWith(before, "0")
  })
})
