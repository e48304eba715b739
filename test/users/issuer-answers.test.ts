import { expect, test } from "bun:test"
import { describeIssuer } from "../../src/users/issuer.ts"

test("an endless description of an issuer is not read to its end", async () => {
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
  const settings = {
    id: "company",
    name: "Our company",
    issuer,
    clientId: "tollgate",
    scopes: ["openid"],
    secondFactor: "required",
    linkUsers: "confirmed",
  } as const
  await expect(describeIssuer(settings)).rejects.toMatchObject({ kind: "upstream_error" })
  expect(sent).toBeLessThan(64 * 1024 * 1024)
  await server.stop(true)
})
