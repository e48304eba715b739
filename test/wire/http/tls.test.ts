import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { responseOf, startRawServer } from "./raw-server.ts"

const FOLDER = join(import.meta.dir, "certificates")
const TLS = {
  key: readFileSync(join(FOLDER, "server.key"), "utf8"),
  cert: readFileSync(join(FOLDER, "server.pem"), "utf8"),
}
const CLIENT = import.meta.resolve("../../../src/wire/http/client.ts")

/**
 * Sends two requests from a separate process.
 * @param environment variables, which may make the process trust the authority of these tests.
 */
async function ask(url: string, environment: Record<string, string>): Promise<string> {
  const script = `
    const { HttpClient } = await import(${JSON.stringify(CLIENT)})
    using client = new HttpClient(process.env)
    for (const body of ["one", "two"]) {
      try {
        const answer = await client.send({ url: ${JSON.stringify(url)}, headers: new Headers(), body }).response
        await Bun.sleep(20)
        console.log(answer.status, Buffer.concat(await Array.fromAsync(answer.body)).length)
      } catch (error) {
        console.log(error.code ?? error.message)
      }
    }`
  const child = Bun.spawn([process.execPath, "-e", script], { env: environment, stderr: "inherit" })
  return await new Response(child.stdout).text()
}

const TRUSTING = { NODE_EXTRA_CA_CERTS: join(FOLDER, "authority.pem") }

describe("the HTTP client over TLS", () => {
  test("shares a connection among requests, and returns long responses completely", async () => {
    using server = startRawServer(
      ({ socket }) => void socket.write(responseOf("x".repeat(300_000))),
      "127.0.0.1",
      TLS,
    )
    expect(await ask(`https://localhost:${server.port}/`, TRUSTING)).toBe(
      "200 300000\n200 300000\n",
    )
    expect(server.sides).toHaveLength(1)
  })

  test("uses a connection that becomes free while a request is waiting for a handshake", async () => {
    using server = startRawServer(
      ({ number, socket }) => void socket.write(responseOf(`on ${number}`)),
      "127.0.0.1",
      TLS,
    )
    // Forwards the first connection. Later connections get no handshake.
    const inward = Promise.withResolvers<Bun.Socket>()
    using front = startRawServer((side, chunk) => {
      if (side.number !== 1) return
      void inward.promise.then((socket) => socket.write(Buffer.from(chunk, "latin1")))
    })
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: server.port,
      socket: { data: (_, bytes) => void front.sides[0]?.socket.write(bytes) },
    })
    inward.resolve(socket)
    const script = `
      const { HttpClient } = await import(${JSON.stringify(CLIENT)})
      using client = new HttpClient({})
      const request = { url: "https://localhost:${front.port}/", headers: new Headers(), body: "x" }
      const sendings = [client.send(request), client.send(request), client.send(request)]
      const bodies = await Promise.all(sendings.map(async ({ response }) => Buffer.concat(await Array.fromAsync((await response).body)).toString()))
      console.log(...bodies)
      process.exit()`
    const child = Bun.spawn([process.execPath, "-e", script], { env: TRUSTING, stderr: "inherit" })
    expect(await new Response(child.stdout).text()).toBe("on 1 on 1 on 1\n")
    expect(front.sides).toHaveLength(3)
  })

  test.each([
    ["with an untrusted certificate", "localhost", {}, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["with a certificate of another name", "127.0.0.1", TRUSTING, "ERR_TLS_CERT_ALTNAME_INVALID"],
    [
      "with verification turned off by the environment",
      "localhost",
      { NODE_TLS_REJECT_UNAUTHORIZED: "0" },
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    ],
  ])("sends nothing to a server %s", async (_, hostname, environment, code) => {
    using server = startRawServer(
      ({ socket }) => void socket.write(responseOf("ok")),
      "127.0.0.1",
      TLS,
    )
    expect(await ask(`https://${hostname}:${server.port}/`, environment)).toBe(`${code}\n${code}\n`)
    expect(server.sides.map(({ received }) => received).join("")).toBe("")
  })
})
