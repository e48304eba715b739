import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { IncompleteFile } from "../../../src/http/uploads/spooled-bytes.ts"
import { USUAL_PACE } from "../../../src/http/incoming-body.ts"
import { receiveUpload, type UploadInProgress } from "../../../src/http/uploads/read-form.ts"
import { Spool } from "../../../src/http/uploads/spool.ts"
import { MemoryBudget, type Reservation } from "../../../src/limits/memory-budget.ts"
import { until } from "../../support/until.ts"

const LONG = 1024 * 1024
const NOISE = new Uint8Array(2 * LONG)
for (let at = 0; at < NOISE.length; at += 65_536) {
  crypto.getRandomValues(NOISE.subarray(at, at + 65_536))
}

let folder: string
let spool: Spool
let memory: Reservation

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-upload-"))
  spool = new Spool(folder)
})

beforeEach(() => {
  memory = new MemoryBudget(1 << 30).open({ id: "key", account: "account" })
})

afterEach(() => memory[Symbol.dispose]())

afterAll(() => rmSync(folder, { recursive: true }))

const field = (name: string, value: string): Buffer =>
  Buffer.from(`--cut\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)

function file(content: Uint8Array): Buffer {
  const head = '--cut\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'
  return Buffer.concat([Buffer.from(head), content, Buffer.from("\r\n")])
}

function formOf(...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([...parts, Buffer.from("--cut--\r\n")])
}

/**
 * Returns a body in chunks whose sizes are used in turn. At its end, the body is complete or the sender disconnects.
 */
function bodyOf(bytes: Uint8Array, sizes: readonly number[], end = bytes.length) {
  let at = 0
  let turn = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = Math.min(end, at + (sizes[turn++ % sizes.length] ?? 1))
        // Each chunk has a separate buffer, as in the server.
        controller.enqueue(new Uint8Array(bytes.subarray(at, next)))
        at = next
        if (at < end) return
        if (end === bytes.length) controller.close()
        else controller.error(new Error("the sender has left"))
      },
    },
    { highWaterMark: 0 },
  )
}

function receive(body: ReadableStream<Uint8Array>, length?: number): Promise<UploadInProgress> {
  const headers = {
    "content-type": "multipart/form-data; boundary=cut",
    ...(length !== undefined && { "content-length": String(length) }),
  }
  const request = new Request("http://gateway/", { method: "POST", body, headers })
  const rules = { file: { count: 1, bytes: 3 * LONG } }
  return receiveUpload(request, { spool, rules, memory, pace: USUAL_PACE })
}

/** Returns the number of files in the spool folder that this process has open. */
function openFiles(): number {
  return readdirSync("/proc/self/fd").filter((name) => {
    try {
      return readlinkSync(join("/proc/self/fd", name)).startsWith(folder)
    } catch {
      return false
    }
  }).length
}

const anySizes = fc
  .array(fc.oneof(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 400_000 })), {
    minLength: 1,
    maxLength: 12,
  })
  .filter((sizes) => sizes.reduce((sum, size) => sum + size, 0) / sizes.length > 2_000)
const anyContent = fc
  .integer({ min: LONG + 1, max: 2 * LONG })
  .map((size) => NOISE.subarray(0, size))

describe("the upload reader of a form that ends with a long file", () => {
  test("reads the file while it arrives, in any chunks, and delivers its end only when permitted", async () => {
    await fc.assert(
      fc.asyncProperty(anyContent, anySizes, async (content, sizes) => {
        const form = formOf(field("model", "m"), file(content))
        const upload = await receive(bodyOf(form, sizes), form.length)
        expect({ ...upload.fields.parameters({}) }).toEqual({ model: "m" })
        expect(upload.bytes).toBe(form.length)
        const arriving = upload.file!
        expect(arriving.size).toBe(content.length)
        let forwarded = 0
        const whole = (async () => {
          const chunks: Uint8Array[] = []
          for await (const chunk of arriving.open()) {
            forwarded += chunk.length
            chunks.push(chunk)
          }
          return Buffer.concat(chunks)
        })()
        const { files } = await upload.completed
        await until(() => forwarded >= content.length - 65_536)
        expect(forwarded).toBeLessThan(content.length)
        arriving.letFinish()
        expect((await whole).equals(content)).toBeTrue()
        expect(Buffer.from(await files[0]!.bytes(3 * LONG)).equals(content)).toBeTrue()
      }),
      { numRuns: 12 },
    )
  })

  test("stops when the client disconnects, and leaves no data", async () => {
    await fc.assert(
      fc.asyncProperty(anySizes, fc.integer({ min: 1, max: LONG }), async (sizes, end) => {
        const form = formOf(field("model", "m"), file(NOISE))
        const received = receive(bodyOf(form, sizes, end), form.length)
        const upload = await received.catch((error: unknown) => error)
        if (upload instanceof Error) return expect(upload).toMatchObject({ kind: "invalid_value" })
        const { file: arriving, completed } = upload as UploadInProgress
        const reading = new Response(arriving?.open()).bytes()
        await expect(reading).rejects.toBeInstanceOf(IncompleteFile)
        await expect(completed).rejects.toMatchObject({ kind: "invalid_value" })
      }),
      { numRuns: 20 },
    )
    await until(() => openFiles() === 0)
  })
})

describe("the upload reader of a form", () => {
  const cases: Readonly<Record<string, readonly [form: Buffer, isAnnounced: boolean]>> = {
    "waits for the complete form if the file is short": [
      formOf(field("model", "m"), file(NOISE.subarray(0, LONG))),
      true,
    ],
    "waits for the complete form if the file is above its size limit": [
      formOf(file(Buffer.alloc(3 * LONG + 1))),
      true,
    ],
    "waits for the complete form if there is no file": [formOf(field("model", "m")), true],
    "waits for the complete form if the form does not declare its length": [
      formOf(file(NOISE)),
      false,
    ],
  }
  for (const [name, [form, isAnnounced]] of Object.entries(cases)) {
    test(name, async () => {
      const received = receive(bodyOf(form, [60_000]), isAnnounced ? form.length : undefined)
      const upload = await received.catch((error: unknown) => error)
      if (upload instanceof Error) expect(upload).toMatchObject({ kind: "file_too_large" })
      else expect((upload as UploadInProgress).file).toBeUndefined()
    })
  }
})

test("the actual length of an uploaded file is below the predicted length if a field follows the file", async () => {
  const form = formOf(file(NOISE), field("model", "m"))
  const upload = await receive(bodyOf(form, [50_000]), form.length)
  expect(upload.fields.parameters({})).toEqual(Object.create(null))
  expect(upload.file!.size).toBe(NOISE.length + field("model", "m").length)
  const reading = new Response(upload.file!.open()).bytes()
  const { files, fields } = await upload.completed
  expect(files[0]?.size).toBe(NOISE.length)
  expect({ ...fields.parameters({}) }).toEqual({ model: "m" })
  await expect(reading).rejects.toBeInstanceOf(IncompleteFile)
})

test("form files are closed when the memory of their request is released, before or after the upload ends", async () => {
  const form = formOf(file(NOISE))
  const upload = await receive(bodyOf(form, [50_000]), form.length)
  await upload.completed
  expect(openFiles()).toBe(1)
  memory[Symbol.dispose]()
  await until(() => openFiles() === 0)

  memory = new MemoryBudget(1 << 30).open({ id: "key", account: "account" })
  const late = await receive(bodyOf(form, [50_000]), form.length)
  memory[Symbol.dispose]()
  await late.completed
  await until(() => openFiles() === 0)
})
