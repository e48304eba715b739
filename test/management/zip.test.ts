import { expect, test } from "bun:test"
import { type ArchivedFile, zipped } from "../../src/management/zip.ts"
import { until } from "../support/until.ts"
import { filesIn } from "../support/zip-reader.ts"

const AT = Date.UTC(2026, 10, 28, 12, 34, 56)

async function* filesOf(contents: Readonly<Record<string, string>>): AsyncGenerator<ArchivedFile> {
  for (const [name, text] of Object.entries(contents)) {
    yield { name, modifiedAt: AT, chunks: halves(text) }
  }
}

async function* halves(text: string): AsyncGenerator<string> {
  const middle = Math.floor(text.length / 2)
  yield text.slice(0, middle)
  yield text.slice(middle)
}

async function archiveOf(files: AsyncIterable<ArchivedFile>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(zipped(files)))
}

test("an archive contains the names and the contents of its files", async () => {
  const contents = {
    "one.csv": "a,b\r\n1,2\r\n",
    "größe.csv": "€".repeat(50_000),
    "empty.csv": "",
  }
  const archive = await archiveOf(filesOf(contents))
  expect(Object.fromEntries(filesIn(archive))).toEqual(contents)
})

test("an empty archive is valid", async () => {
  async function* none(): AsyncGenerator<ArchivedFile> {}
  expect(filesIn(await archiveOf(none())).size).toBe(0)
})

test("a file with an empty chunk is complete", async () => {
  async function* chunks(): AsyncGenerator<string> {
    yield* ["before", "", "after"]
  }
  async function* files(): AsyncGenerator<ArchivedFile> {
    yield { name: "a.csv", modifiedAt: AT, chunks: chunks() }
  }
  expect(filesIn(await archiveOf(files())).get("a.csv")).toBe("beforeafter")
})

test("an error during the reading of a file ends the archive with that error", async () => {
  async function* broken(): AsyncGenerator<string> {
    yield "begun"
    throw new Error("the disk is gone")
  }
  async function* files(): AsyncGenerator<ArchivedFile> {
    yield { name: "a.csv", modifiedAt: AT, chunks: broken() }
  }
  await expect(archiveOf(files())).rejects.toThrow("the disk is gone")
})

test("closing an archive early closes the file that is being read", async () => {
  let isClosed = false
  async function* endless(): AsyncGenerator<string> {
    try {
      for (let line = 0; ; line++) yield `${Math.random()} ${line}\n`.repeat(100)
    } finally {
      isClosed = true
    }
  }
  async function* files(): AsyncGenerator<ArchivedFile> {
    yield { name: "a.csv", modifiedAt: AT, chunks: endless() }
  }
  for await (const chunk of zipped(files())) if (chunk.byteLength > 1_000) break
  await until(async () => isClosed)
})
