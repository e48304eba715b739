import { expect, test } from "bun:test"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import { createBrotliCompress } from "node:zlib"
import type { OidcSettings } from "../../src/config/sections/sign-in.ts"
import { describeIssuer } from "../../src/users/issuer.ts"
import { servedTime } from "../support/served-time.ts"

/** Returns the settings of an issuer on this machine. */
function settingsOf(issuer: string): OidcSettings {
  return {
    id: "company",
    name: "Our company",
    issuer,
    clientId: "tollgate",
    scopes: ["openid"],
    secondFactor: "required",
    linkUsers: "confirmed",
  }
}

/** Compresses spaces without holding all of them in memory. */
async function compressedSpaces(megabytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const compressor = createBrotliCompress({ params: { 1: 3 } })
  const piece = Buffer.alloc(1024 * 1024, " ")
  Readable.from(Array.from({ length: megabytes }, () => piece)).pipe(compressor)
  return new Uint8Array(await buffer(compressor))
}

test("the compressed discovery document of an issuer is decompressed up to a limit", async () => {
  const bomb = await compressedSpaces(512)
  // The runtime would decompress a body that arrives after its headers at once.
  const head = `HTTP/1.1 200 OK\r\ncontent-encoding: br\r\ncontent-length: ${bomb.length}\r\n\r\n`
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", () => {
      socket.write(head)
      setTimeout(() => socket.write(bomb), 5)
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const settings = settingsOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await expect(describeIssuer(settings)).rejects.toMatchObject({ kind: "upstream_error" })
  // The thread of the runtime that decompresses also sends all other requests of the process.
  await using other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("ok") })
  let text = ""
  const time = await servedTime(async () => (text = await (await fetch(other.url)).text()))
  expect(text).toBe("ok")
  expect(time).toBeLessThan(2_000)
  server.close()
})

test("the gateway stops reading an endless discovery document", async () => {
  const piece = new Uint8Array(64 * 1024).fill(0x20)
  let sent = 0
  await using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            sent += piece.byteLength
            controller.enqueue(piece)
          },
        }),
      ),
  })
  const issuer = `http://127.0.0.1:${server.port}`
  const settings = settingsOf(issuer)
  await expect(describeIssuer(settings)).rejects.toMatchObject({ kind: "upstream_error" })
  expect(sent).toBeLessThan(64 * 1024 * 1024)
  await server.stop(true)
})
