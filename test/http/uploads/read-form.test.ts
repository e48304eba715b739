import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { GatewayError } from "../../../src/canon/errors.ts"
import { USUAL_PACE } from "../../../src/http/incoming-body.ts"
import type { FieldKind } from "../../../src/http/uploads/form-fields.ts"
import type { Form } from "../../../src/http/uploads/form-reader.ts"
import type { FileRules } from "../../../src/http/uploads/form-rules.ts"
import { readForm } from "../../../src/http/uploads/read-form.ts"
import { MemoryBudget, type Reservation } from "../../../src/limits/memory-budget.ts"
import { Spool } from "../../../src/http/uploads/spool.ts"
import { until } from "../../support/until.ts"

const MEGABYTE = 1024 * 1024
const RULES: FileRules = { file: { count: 1, bytes: 3 * MEGABYTE } }

let folder: string
let spool: Spool
let memory: Reservation

beforeEach(() => {
  memory = new MemoryBudget(1 << 30).open({ id: "key", account: "account" })
})

afterEach(() => memory[Symbol.dispose]())

function formOf(request: Request, rules = RULES): Promise<Form> {
  return readForm(request, { spool, rules, memory, pace: USUAL_PACE })
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-spool-"))
  spool = new Spool(folder)
})

afterAll(() => rmSync(folder, { recursive: true }))

/** Returns a request as a client library creates it. */
function formRequest(form: FormData): Request {
  return new Request("http://gateway/", { method: "POST", body: form })
}

function rawRequest(
  body: string | ReadableStream<Uint8Array>,
  type = "multipart/form-data; boundary=cut",
): Request {
  return new Request("http://gateway/", {
    method: "POST",
    body,
    headers: { "content-type": type },
  })
}

async function rejection(request: Request, rules = RULES): Promise<GatewayError> {
  try {
    const form = await formOf(request, rules)
    form.fields.parameters({})
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error("the form was taken")
}

/** Returns the part of a form that is tested, with its head and its content. */
function part(head: string, content: string): string {
  return `--cut\r\n${head}\r\n\r\n${content}\r\n`
}

const field = (name: string, value: string): string =>
  part(`content-disposition: form-data; name="${name}"`, value)

const END = "--cut--\r\n"

async function read(
  body: string | ReadableStream<Uint8Array>,
  rules: FileRules = RULES,
  kinds: Readonly<Record<string, FieldKind>> = {},
): Promise<{ form: Form; parameters: object }> {
  const form = await formOf(rawRequest(body), rules)
  return { form, parameters: { ...form.fields.parameters(kinds) } }
}

describe("the form reader on requests of client libraries", () => {
  test("reads fields both before and after the file", async () => {
    const data = new FormData()
    data.append("model", "sim/whisper")
    data.append("file", new File(["sound"], "speech.mp3", { type: "audio/mpeg" }))
    data.append("temperature", "0.5")
    data.append("stream", "true")
    const form = await formOf(formRequest(data))
    expect({ ...form.fields.parameters({ temperature: "number", stream: "flag" }) }).toEqual({
      model: "sim/whisper",
      temperature: 0.5,
      stream: true,
    })
    const [file] = form.files
    expect(file).toMatchObject({ field: "file", name: "speech.mp3", type: "audio/mpeg", size: 5 })
    expect(Buffer.from((await file?.bytes(10)) ?? []).toString()).toBe("sound")
    expect(await new Response(file?.open()).text()).toBe("sound")
    expect(await new Response(file?.open()).text()).toBe("sound")
    expect(Buffer.from((await file?.head(3)) ?? []).toString()).toBe("sou")
  })

  test("reads arrays with and without brackets in their names", async () => {
    const { parameters } = await read(
      field("granularities[]", "word") +
        field("granularities[]", "segment") +
        field("include[0]", "logprobs") +
        field("lone", "x") +
        field("chunking[type]", "server_vad") +
        END,
      RULES,
      { lone: "list" },
    )
    expect(parameters).toEqual({
      granularities: ["word", "segment"],
      include: ["logprobs"],
      lone: ["x"],
      "chunking[type]": "server_vad",
    })
  })

  test("reads several files as an array, with empty content types", async () => {
    const image = (name: string, type: string): string =>
      part(
        `content-disposition: form-data; name="${name}"; filename="a.png"\r\ncontent-type:${type}`,
        name,
      )
    const rules = { image: { count: 3, bytes: 100 } }
    const body = image("image[]", " ") + image("image[1]", "") + image("image", " image/png") + END
    const { form } = await read(body, rules)
    const texts = await Promise.all(
      form.files.map(async (file) => Buffer.from(await file.bytes(100)).toString()),
    )
    expect(texts).toEqual(["image[]", "image[1]", "image"])
    expect(form.files.map((file) => file.field)).toEqual(["image", "image", "image"])
  })

  test("treats an empty field, and a file field without a file, as absent", async () => {
    const unchosen = part('content-disposition: form-data; name="file"; filename=""', "")
    const { form, parameters } = await read(unchosen + field("prompt", "") + END)
    expect(form.files).toEqual([])
    expect(parameters).toEqual({})
  })

  test("reads non-ASCII names, and a field named like an inherited property", async () => {
    const named = part('content-disposition: form-data; name="file"; filename="Grüße.mp3"', "x")
    const { form, parameters } = await read(named + field("__proto__", "x") + END)
    expect(form.files[0]?.name).toBe("Grüße.mp3")
    expect(Object.getPrototypeOf(parameters)).toBe(Object.prototype)
  })
})

describe("the form reader on invalid forms", () => {
  const cases: readonly [name: string, request: () => Request, expected: object][] = [
    [
      "JSON",
      () => rawRequest("{}", "application/json"),
      { kind: "unsupported_media_type", status: 415 },
    ],
    [
      "no boundary",
      () => rawRequest(END, "multipart/form-data"),
      { kind: "unsupported_media_type", status: 415 },
    ],
    ["nothing", () => rawRequest(""), { kind: "invalid_value", status: 400 }],
    ["no form at all", () => rawRequest("hello"), { kind: "invalid_value", status: 400 }],
    [
      "a body cut within a field",
      () =>
        rawRequest(
          field("model", "x") + '--cut\r\ncontent-disposition: form-data; name="a"\r\n\r\nab',
        ),
      { kind: "invalid_value" },
    ],
    [
      "a body cut within a file",
      () =>
        rawRequest(
          part('content-disposition: form-data; name="file"; filename="a"', "ab").slice(0, -3),
        ),
      { kind: "invalid_value" },
    ],
    ["a body cut after a part", () => rawRequest(field("model", "x")), { kind: "invalid_value" }],
    [
      "10,000 fields",
      () => rawRequest(field("a[]", "x").repeat(10_000) + END),
      { kind: "invalid_value", message: "The form has more than 128 fields." },
    ],
    [
      "100,000 parts that are neither fields nor files",
      () => rawRequest("--cut\r\n\r\n\r\n".repeat(100_000) + END),
      {
        kind: "invalid_value",
        message: "The form has more than 256 parts: fields and files. Send fewer.",
      },
    ],
    [
      "a field without a name",
      () => rawRequest(part("content-disposition: form-data", "x") + END),
      { kind: "invalid_value" },
    ],
    [
      "an overlong field",
      () => rawRequest(field("prompt", "x".repeat(MEGABYTE + 1)) + END),
      { kind: "string_above_max_length", details: { parameter: "prompt" } },
    ],
    [
      "overlong fields in total",
      () => rawRequest(field("a[]", "x".repeat(MEGABYTE - 1)).repeat(5) + END),
      { kind: "body_too_large", status: 413 },
    ],
    [
      "a duplicate field",
      () => rawRequest(field("model", "x") + field("model", "y") + END),
      { kind: "invalid_value", details: { parameter: "model" } },
    ],
    [
      "a file in an unknown field",
      () =>
        rawRequest(part('content-disposition: form-data; name="other"; filename="a"', "x") + END),
      { kind: "invalid_value", details: { parameter: "other" } },
    ],
    [
      "two files",
      () =>
        rawRequest(
          part('content-disposition: form-data; name="file"; filename="a"', "x").repeat(2) + END,
        ),
      { kind: "invalid_value", details: { parameter: "file" } },
    ],
    [
      "a file sent as text",
      () => rawRequest(field("file", "x") + END),
      { kind: "invalid_value", details: { parameter: "file" } },
    ],
  ]

  for (const [name, request, expected] of cases) {
    test(`rejects ${name}`, async () => {
      expect(await rejection(request())).toMatchObject(expected)
    })
  }

  test("stops reading a file one byte after its limit", async () => {
    const limit = RULES.file?.bytes ?? 0
    const exact = new FormData()
    exact.append("file", new File([new Uint8Array(limit)], "a"))
    const form = await formOf(formRequest(exact))
    expect(form.files[0]?.size).toBe(limit)

    let sent = 0
    const head = Buffer.from(
      '--cut\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n',
    )
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(sent === 0 ? head : new Uint8Array(64 * 1024))
        sent += 64 * 1024
      },
    })
    expect(await rejection(rawRequest(endless))).toMatchObject({
      kind: "file_too_large",
      status: 413,
      details: { parameter: "file" },
    })
    expect(sent).toBeLessThan(limit + MEGABYTE)
  })

  test("does not read a body whose declared length is too large", async () => {
    let isRead = false
    const body = new ReadableStream(
      {
        pull() {
          isRead = true
        },
      },
      { highWaterMark: 0 },
    )
    const request = new Request("http://gateway/", {
      method: "POST",
      body,
      headers: {
        "content-type": "multipart/form-data; boundary=cut",
        "content-length": "99000000",
      },
    })
    expect((await rejection(request)).kind).toBe("file_too_large")
    const images = { image: { count: 1, bytes: 10 }, mask: { count: 1, bytes: 10 } }
    expect((await rejection(request, images)).kind).toBe("body_too_large")
    expect(isRead).toBe(false)
  })

  test("reports a client that disconnects as an invalid request", async () => {
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(field("model", "x")))
        controller.error(new Error("connection lost"))
      },
    })
    expect((await rejection(rawRequest(broken))).kind).toBe("invalid_value")
  })
})

describe("storage of form files", () => {
  test("writes large files to disk and unlinks them, and keeps small files in memory", async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(64 * 1024))
    const large = Buffer.concat(Array.from({ length: 40 }, () => bytes))
    const data = new FormData()
    data.append("file", new File([large], "a"))
    const form = await formOf(formRequest(data))
    expect(readdirSync(folder)).toEqual([])
    const [file] = form.files
    expect(file?.size).toBe(large.length)
    expect(Bun.hash(await new Response(file?.open()).bytes())).toBe(Bun.hash(large))
    expect(Buffer.from((await file?.slice(70_000, 70_100)) ?? [])).toEqual(
      large.subarray(70_000, 70_100),
    )
    expect(() => file?.bytes(100)).toThrow("larger than 100 bytes")
    memory[Symbol.dispose]()
    await until(() =>
      file!.head(1).then(
        () => false,
        () => true,
      ),
    )
  })

  test("uses a private folder, and removes files of processes that have died", async () => {
    const path = join(folder, "left-behind")
    await Bun.write(path, "x")
    expect(new Spool(folder)).toBeInstanceOf(Spool)
    expect(readdirSync(folder)).toEqual([])
  })
})

test("the form reader returns the same form for any division into chunks", async () => {
  const content = crypto.getRandomValues(new Uint8Array(3_000))
  const whole = Buffer.concat(
    [
      Buffer.from(field("model", "sim/whisper")),
      Buffer.from('--cut\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'),
      content,
      // Bytes that begin like a boundary but are not one are content.
      Buffer.from("\r\n--cu\r\n-\r\n--cut"),
      Buffer.from(`\r\n${field("prompt", "\r\n--cu")}${END}`),
    ].map((bytes, index) => (index === 3 ? bytes.subarray(0, 9) : bytes)),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }),
      async (sizes) => {
        const chunks = cut(whole, sizes)
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            const chunk = chunks.shift()
            if (chunk) controller.enqueue(chunk)
            else controller.close()
          },
        })
        const { form, parameters } = await read(body)
        expect(parameters).toEqual({ model: "sim/whisper", prompt: "\r\n--cu" })
        const file = await form.files[0]?.bytes(10_000)
        expect(Buffer.from(file ?? []).subarray(0, 3_000)).toEqual(Buffer.from(content))
        expect(file?.length).toBe(3_009)
      },
    ),
    { numRuns: 60 },
  )
})

/** Splits bytes into chunks. The sizes are used in turn. */
function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    chunks.push(bytes.slice(at, at + size))
    at += size
  }
  return chunks
}
