import { expect, test } from "bun:test"
import { sharePort } from "../../src/machine/share-port.ts"

function serve(port: number, hostname: string) {
  return Bun.serve({ port, hostname, reusePort: true, fetch: () => new Response("beside it") })
}

for (const hostname of ["127.0.0.1", "::1"]) {
  test.skipIf(process.platform !== "linux")(
    `a port of this process is shared with others once it says so, on ${hostname}`,
    async () => {
      await using first = Bun.serve({ port: 0, hostname, fetch: () => new Response("first") })
      await using other = Bun.serve({ port: 0, hostname, fetch: () => new Response("other") })
      const port = first.port ?? 0
      expect(() => serve(port, hostname)).toThrow()
      expect(sharePort(port)).toBeTrue()
      await using beside = serve(port, hostname)
      expect(beside.port).toBe(port)
      expect(() => serve(other.port ?? 0, hostname)).toThrow()
    },
  )
}

test("a port on which this process does not listen is not shared", async () => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() })
  const port = server.port ?? 0
  await server.stop(true)
  expect(sharePort(port)).toBeFalse()
})
