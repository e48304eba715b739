import { describe, expect, test } from "bun:test"
import { ChunkList } from "../../src/wire/chunk-list.ts"
import { BodyQueue } from "../../src/wire/http/body-queue.ts"

/** Returns chunks of one byte each, with values that count from 0. */
const bytes = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, index) => Uint8Array.of(index % 256))

describe("the chunk list", () => {
  test("keeps the first chunks and joins short chunks after them", () => {
    const list = new ChunkList()
    const all = bytes(200_000)
    for (const chunk of all) list.push(chunk)
    expect(list.chunks.slice(0, 64)).toEqual(all.slice(0, 64))
    expect(list.chunks.length).toBeLessThan(70)
    expect(Buffer.concat(list.chunks).equals(Buffer.concat(all))).toBe(true)
  })

  test("keeps long chunks unchanged and in order", () => {
    const list = new ChunkList()
    const long = new Uint8Array(4_096).fill(7)
    const all = [...bytes(70), long, ...bytes(3)]
    for (const chunk of all) list.push(chunk)
    expect(list.chunks.at(-2)).toBe(long)
    expect(Buffer.concat(list.chunks).equals(Buffer.concat(all))).toBe(true)
  })

  test("returns each byte once even if chunks are taken while others are added", () => {
    const list = new ChunkList()
    const taken: Uint8Array[] = []
    const all = bytes(1_000)
    for (const [index, chunk] of all.entries()) {
      list.push(chunk)
      const first = index % 300 > 200 ? list.shift() : undefined
      if (first) taken.push(first)
    }
    for (let next = list.shift(); next; next = list.shift()) taken.push(next)
    expect(Buffer.concat(taken).equals(Buffer.concat(all))).toBe(true)
  })
})

test("the queue of a body joins short chunks that its reader has not read yet", async () => {
  const queue = new BodyQueue({ pause() {}, resume() {}, leave() {} })
  const first = queue.next()
  const all = bytes(10_000)
  for (const chunk of all) queue.push(chunk)
  queue.end()
  const read = [(await first).value ?? new Uint8Array()]
  for await (const chunk of queue) read.push(chunk)
  expect(read.length).toBeLessThan(70)
  expect(Buffer.concat(read).equals(Buffer.concat(all))).toBe(true)
})
