import { expect, test } from "bun:test"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { KeptFile, KeptFiles } from "../../../src/store/kept-files.ts"
import type { Engine } from "../engines.ts"
import { TemporaryDirectory } from "../test-database.ts"

const DAY = 86_400_000

/** Returns bytes without repetitions. */
function bytesOf(size: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  for (let index = 0, value = seed; index < size; index++) {
    value = (value * 1_103_515_245 + 12_345) % 2_147_483_648
    bytes[index] = value >> 16
  }
  return bytes
}

/** Returns the name of an image. It begins with the expiry time. */
function imageOf(lifetime: number, number = 1): string {
  return `${Date.now() + lifetime}-${String(number).padStart(32, "0")}.png`
}

/** Reads a complete file in pieces. */
async function read(file: KeptFile, piece: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for (let done = 0; ;) {
    const some = await file.read(done, piece)
    if (some.byteLength === 0) return Buffer.concat(pieces)
    pieces.push(some.slice())
    done += some.byteLength
  }
}

async function sizeOf(files: KeptFiles, name: string): Promise<number | undefined> {
  await using file = await files.open(name)
  return file?.size
}

/** Tests that an engine fulfills this contract. */
export function keptFileContract(engine: Engine): void {
  test("a stored file is read unchanged by all nodes, in pieces and as a stream", async () => {
    using directory = new TemporaryDirectory()
    await using served = await engine.serve(directory.path)
    await using other = await engine.serve(directory.path)
    for (const size of [0, 1, 524_288, 1_400_000]) {
      const name = imageOf(DAY, size)
      const bytes = bytesOf(size)
      await served.files("images").write(name, bytes, DAY)
      await using file = await other.files("images").open(name)
      if (!file) throw new Error("not found")
      expect(file.size).toBe(size)
      expect((await read(file, 100_003)).equals(Buffer.from(bytes))).toBe(true)
      expect((await file.read(size, 10)).byteLength).toBe(0)
      const streamed = await new Response(file.body()).bytes()
      expect(Buffer.from(streamed).equals(Buffer.from(bytes))).toBe(true)
    }
  })

  test("a file on the local disk becomes available to all nodes", async () => {
    using directory = new TemporaryDirectory()
    await using served = await engine.serve(directory.path)
    const responses = served.files("responses")
    const bytes = bytesOf(1_300_000)
    await responses.write("before", bytes, DAY)
    const path = join(directory.path, "spooled")
    writeFileSync(path, bytes)
    await responses.adopt("req_1", path, DAY)
    expect(existsSync(path)).toBe(false)
    await using file = await responses.open("req_1")
    if (!file) throw new Error("not found")
    expect((await read(file, 1_000_000)).equals(Buffer.from(bytes))).toBe(true)
  })

  test("a file replaces a file of the same kind and name", async () => {
    using directory = new TemporaryDirectory()
    await using served = await engine.serve(directory.path)
    const [responses, images] = [served.files("responses"), served.files("images")]
    await responses.write("one", bytesOf(600_000), DAY)
    await images.write("one", bytesOf(7), DAY)
    await responses.write("one", bytesOf(5, 9), DAY)
    expect(await sizeOf(responses, "one")).toBe(5)
    expect(await sizeOf(images, "one")).toBe(7)
    await responses.remove("one")
    await responses.remove("one")
    expect(await sizeOf(responses, "one")).toBeUndefined()
    expect(await sizeOf(images, "one")).toBe(7)
  })

  test("a sweep deletes only expired files, even if several sweeps run simultaneously", async () => {
    using directory = new TemporaryDirectory()
    await using served = await engine.serve(directory.path)
    await using other = await engine.serve(directory.path)
    const [images, others] = [served.files("images"), other.files("images")]
    await images.sweep()
    const names = Array.from({ length: 130 }, (_, index) => imageOf(-1_000, index))
    await Promise.all(names.map((name) => images.write(name, bytesOf(9), -1_000)))
    const kept = imageOf(DAY)
    await images.write(kept, bytesOf(9), DAY)
    await Promise.all([images.sweep(), others.sweep()])
    expect(await sizeOf(images, kept)).toBe(9)
    for (const name of names) expect(await sizeOf(others, name)).toBeUndefined()
  })

  test("simultaneous writes with the same name store one of the files", async () => {
    using directory = new TemporaryDirectory()
    await using served = await engine.serve(directory.path)
    await using other = await engine.serve(directory.path)
    const written = [bytesOf(600_000, 1), bytesOf(600_000, 2)]
    const stores = [served.files("images"), other.files("images")]
    const name = imageOf(DAY)
    await Promise.all(
      stores.map((files, index) => files.write(name, written[index] ?? bytesOf(0), DAY)),
    )
    await using file = await stores[0]?.open(name)
    if (!file) throw new Error("not found")
    const found = await read(file, 600_000)
    expect(written.some((bytes) => found.equals(Buffer.from(bytes)))).toBe(true)
  })
}
