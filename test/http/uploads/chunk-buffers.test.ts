import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { StoredFile } from "../../../src/media/stored-file.ts"
import { ChunkBuffers } from "../../../src/http/uploads/chunk-buffers.ts"
import { detachBuffer } from "../../../src/canon/detach-buffer.ts"
import { USUAL_PACE } from "../../../src/http/incoming-body.ts"
import { MemoryBudget } from "../../../src/limits/memory-budget.ts"
import { readForm } from "../../../src/http/uploads/read-form.ts"
import { Spool } from "../../../src/http/uploads/spool.ts"

function chunksOf(...sizes: number[]): Uint8Array<ArrayBuffer>[] {
  return sizes.map((size, index) => new Uint8Array(size).fill(index + 1))
}

async function* listed(...views: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* views
}

/** Returns a buffer of random bytes. The random generator fills at most 64 KB at a time. */
function filled(size: number): Buffer {
  const noise = new Uint8Array(size)
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(noise.subarray(at, at + 65_536))
  return Buffer.from(noise.buffer)
}

const lengths = (chunks: readonly Uint8Array[]): number[] => chunks.map((one) => one.byteLength)

describe("the memory of upload chunks", () => {
  test("becomes free when a view of a later chunk is read", async () => {
    const chunks = chunksOf(10, 20, 30)
    const [first, second, third] = chunks
    const passing = new ChunkBuffers()
    for (const chunk of chunks) passing.add(chunk)
    const seen: number[][] = []
    const views = [first!.subarray(4), second!.subarray(0, 5), second!.subarray(5), third!]
    for await (const _ of passing.views(listed(...views))) seen.push(lengths(chunks))
    expect(seen).toEqual([
      [10, 20, 30],
      [0, 20, 30],
      [0, 20, 30],
      [0, 0, 30],
    ])
  })

  test("stays in use while other content is still being read", async () => {
    const chunks = chunksOf(10, 20, 30)
    const [first, second, third] = chunks
    const passing = new ChunkBuffers()
    for (const chunk of chunks) passing.add(chunk)
    const slow = passing.views(listed(first!))
    await slow.next()
    const quick = passing.views(listed(second!, third!))
    await quick.next()
    expect(lengths(chunks)).toEqual([10, 20, 30])
    await slow.next()
    await quick.next()
    expect(lengths(chunks)).toEqual([0, 0, 30])
  })

  test("stays in use if the content is a copy, or if the chunk is part of a larger buffer", async () => {
    const large = new Uint8Array(100)
    const chunks = [large.subarray(0, 50), large.subarray(50)]
    const passing = new ChunkBuffers()
    for (const chunk of chunks) passing.add(chunk)
    for await (const _ of passing.views(listed(chunks[0]!.slice(), chunks[1]!))) continue
    expect(large.byteLength).toBe(100)
    detachBuffer(large.subarray(1))
    expect(large.byteLength).toBe(100)
    detachBuffer(large)
    expect(large.byteLength).toBe(0)
  })
})

describe("a form of several files", () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-pieces-"))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test("keeps its files unchanged and in order for any split into chunks", async () => {
    const spool = new Spool(folder)
    let state = 1
    const random = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    for (let round = 0; round < 12; round++) {
      const contents = [1_400_000, 3, 900_000, 1_100_000].map((size) => filled(size - random(3)))
      const parts = contents.flatMap((content, index) => [
        Buffer.from(`--cut\r\ncontent-disposition: form-data; name="note"\r\n\r\n${index}\r\n`),
        Buffer.from(
          `--cut\r\ncontent-disposition: form-data; name="file"; filename="${index}"\r\n\r\n`,
        ),
        content,
        Buffer.from("\r\n"),
      ])
      const whole = Buffer.concat([...parts, Buffer.from("--cut--\r\n")])
      let at = 0
      const longest = [300_000, 70_000, 5_000][round % 3] ?? 1
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          const end = at + 1 + random(longest)
          controller.enqueue(new Uint8Array(whole.subarray(at, end)))
          at = end
          if (at >= whole.length) controller.close()
        },
      })
      const headers = { "content-type": "multipart/form-data; boundary=cut" }
      const request = new Request("http://gateway/", { method: "POST", body, headers })
      using memory = new MemoryBudget(1 << 30).open({ id: "key", account: "account" })
      const rules = { file: { count: 4, bytes: 2_000_000 } }
      const form = await readForm(request, { spool, rules, memory, pace: USUAL_PACE })
      expect(form.files.length).toBe(4)
      for (const [index, file] of form.files.entries()) {
        expect(contents[index]?.equals(await file.bytes(2_000_000))).toBeTrue()
      }
    }
  })
})

test("a chunk of an uploaded file is valid until the next chunk is requested", async () => {
  const content = crypto.getRandomValues(new Uint8Array(60_000))
  const bytes = { size: 180_000, read: async (start: number, end: number) => sliceOf(start, end) }
  const sliceOf = (start: number, end: number) => {
    const slice = new Uint8Array(end - start)
    for (let at = start; at < end; at++) slice[at - start] = content[at % 60_000]!
    return slice
  }
  const file = new StoredFile({ field: "file", name: "", type: "" }, bytes)
  for (const isLent of [true, false]) {
    const held: Uint8Array[] = []
    const copies: Uint8Array[] = []
    for await (const chunk of isLent ? file.lend() : file.open()) {
      held.push(chunk)
      copies.push(chunk.slice())
    }
    expect(Buffer.concat(copies).equals(sliceOf(0, 180_000))).toBeTrue()
    expect(held.length).toBe(3)
    expect(held.slice(0, -1).every(({ byteLength }) => (byteLength === 0) === isLent)).toBeTrue()
  }
})
