import { expect, test } from "bun:test"
import { encodeForm } from "../../src/wire/encode-form.ts"

const file = (name: string, text: string) => ({
  field: "file",
  name,
  type: "audio/mpeg",
  size: Buffer.byteLength(text),
  open: () => new Response(text).body ?? new ReadableStream<Uint8Array>(),
})

test("an encoded form can be read by other parsers, can be repeated, and has the declared length", async () => {
  const form = encodeForm(
    [
      ["model", "whisper-1"],
      ["prompt", "Grüße\r\n--x"],
    ],
    [file('a"b.mp3', "sound"), file("c.mp3", "more")],
  )
  for (const _ of [1, 2]) {
    const bytes = await new Response(form.open()).bytes()
    expect(bytes.byteLength).toBe(form.size)
    expect(Buffer.from(bytes).toString()).toContain('filename="a%22b.mp3"')
    const read = await new Response(bytes, {
      headers: { "content-type": form.contentType },
    }).formData()
    expect(read.get("model")).toBe("whisper-1")
    expect([...read.keys()]).toEqual(["model", "prompt", "file", "file"])
    expect(read.get("prompt")).toBe("Grüße\r\n--x")
    const files = read.getAll("file") as unknown as File[]
    expect(await Promise.all(files.map((part) => part.text()))).toEqual(["sound", "more"])
    expect(files[0]?.type).toBe("audio/mpeg")
  }
})
