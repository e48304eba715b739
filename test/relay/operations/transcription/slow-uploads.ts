import { Database } from "bun:sqlite"
import { expect } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { databaseFileIn } from "../../../../src/store/sqlite/database-file.ts"
import { wave } from "../../../support/audio.ts"
import {
  provider,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../../support/gateway.ts"
import { until } from "../../../support/until.ts"

/** A request while it arrives at the vendor. */
export interface Heard {
  bytes: number
  isOver: boolean
  isBroken: boolean
  text: string
}

type VendorResponse = (heard: Heard, number: number) => Response | Promise<Response>

export const SOUND = wave(120)
for (let at = 44; at < SOUND.length; at += 65_536) {
  crypto.getRandomValues(SOUND.subarray(at, Math.min(at + 65_536, SOUND.length)))
}
export const CHECKSUM = Bun.hash.crc32(SOUND)
/** The cost in credits of the audio. */
export const COST = "0.012"

export const MODEL = ["model", "one/whisper"] as const
export const LANGUAGE = ["language", "de"] as const
export const FILE = ["file"] as const

/** Answers with the content of the request once it has arrived completely. */
export const whole: VendorResponse = async (heard) => {
  await until(() => heard.isOver)
  return Response.json({ text: heard.text })
}

/** Reads a request to its end, however long that takes. The response may be sent earlier. */
async function hear(request: Request, seen: Heard): Promise<void> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of request.body ?? []) {
      seen.bytes += chunk.byteLength
      chunks.push(chunk)
    }
    const type = request.headers.get("content-type") ?? ""
    const form = await new Response(Buffer.concat(chunks), {
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

export interface SendOptions {
  readonly isLengthTold?: boolean
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A form that is sent only as far as the test allows. */
export class SlowForm {
  readonly #bytes: Buffer
  readonly #stream: ReadableStream<Uint8Array>
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #sent = 0

  /** @param parts the fields of the form. The part without a value is the audio. */
  constructor(...parts: readonly (readonly [name: string, value?: string])[]) {
    const chunks = parts.map(([name, value]) => {
      const head = `--cut\r\ncontent-disposition: form-data; name="${name}"`
      if (value !== undefined) return Buffer.from(`${head}\r\n\r\n${value}\r\n`)
      const file = Buffer.from(`${head}; filename="a.wav"\r\n\r\n`)
      return Buffer.concat([file, SOUND, Buffer.from("\r\n")])
    })
    this.#bytes = Buffer.concat([...chunks, Buffer.from("--cut--\r\n")])
    this.#stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller
      },
    })
  }

  /**
   * Sends the form.
   * @param url the address of the gateway.
   */
  send(url: string, options: SendOptions & { readonly key: string }) {
    const { isLengthTold = true, key, headers = {} } = options
    const length = { "content-length": String(this.#bytes.length) }
    return fetch(`${url}/v1/audio/transcriptions`, {
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

  /** Allows the form to be sent up to a fraction of its size. */
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

export async function textOf(response: Response): Promise<string> {
  return ((await response.json()) as { text: string }).text
}

interface Receipt {
  readonly status: string
  readonly hold: string
  readonly attempts: readonly { readonly deployment: string; readonly outcome: string }[]
}

/** A gateway with a vendor of transcriptions that records how requests arrive. */
export class SlowUploads implements AsyncDisposable {
  readonly gateway: TestGateway
  readonly caller: TestCaller
  /** The requests that the vendor has received since the last `reset`. */
  heard: Heard[] = []
  /** The function that answers for the vendor. */
  response = whole
  readonly #vendor: Bun.Server<undefined>

  private constructor(vendor: Bun.Server<undefined>, gateway: TestGateway, caller: TestCaller) {
    this.#vendor = vendor
    this.gateway = gateway
    this.caller = caller
  }

  static async start(): Promise<SlowUploads> {
    const vendor = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: (request) => uploads.#serve(request),
    })
    const url = `http://127.0.0.1:${vendor.port}`
    const gateway = await startGateway({
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
    const uploads: SlowUploads = new SlowUploads(vendor, gateway, await gateway.caller("10"))
    return uploads
  }

  #serve(request: Request): Response | Promise<Response> {
    const seen: Heard = { bytes: 0, isOver: false, isBroken: false, text: "" }
    this.heard.push(seen)
    void hear(request, seen)
    return this.response(seen, this.heard.length)
  }

  reset(): void {
    this.heard = []
    this.response = whole
    this.gateway.heard.length = 0
  }

  /** @param options by default, the key is that of the usual caller. */
  send(form: SlowForm, options: SendOptions = {}): Promise<Response> {
    return form.send(this.gateway.url, { key: this.caller.key, ...options })
  }

  /** Sends a form. Almost half of it is at the vendor before the rest is sent. */
  async sendSlowly(form: SlowForm, options: SendOptions = {}): Promise<Response> {
    const response = this.send(form, options)
    form.upTo(0.5)
    await until(() => (this.heard[0]?.bytes ?? 0) > SOUND.length * 0.4)
    form.upTo(1)
    return await response
  }

  async receiptOf(response: Response, owner = this.caller): Promise<Receipt> {
    const id = response.headers.get("x-request-id")
    return (await (await owner.get(`/v1/receipts/${id}`)).json()) as Receipt
  }

  /** Returns the requests of an account in the ledger, in any state. */
  requestsOf({ account }: TestCaller): string[] {
    using database = new Database(databaseFileIn(this.gateway.settings.data), { readonly: true })
    const query = database.query<{ request: string }, [string]>(
      "SELECT request FROM entries WHERE account = ? AND request IS NOT NULL",
    )
    return query.all(account.id).map(({ request }) => request)
  }

  async nothingHeld(owner = this.caller): Promise<void> {
    await until(async () => {
      const credits = (await (await owner.get("/v1/credits")).json()) as { held: string }
      return credits.held === "0"
    })
  }

  /** Asserts that nothing is held, that no file remains, and that exactly this amount was charged. */
  async endsWith(before: bigint, charged: string): Promise<void> {
    await this.nothingHeld()
    expect(await this.caller.balance()).toBe(before - BigInt(Math.round(Number(charged) * 1e9)))
    expect(readdirSync(join(this.gateway.settings.data, "uploads"))).toEqual([])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway[Symbol.asyncDispose]()
    await this.#vendor.stop(true)
  }
}
