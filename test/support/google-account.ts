import { generateKeyPairSync } from "node:crypto"
import type { ServiceAccount } from "../../src/config/settings.ts"

/** A server that issues tokens to service accounts. */
export interface TokenServer extends Disposable {
  readonly url: string
}

/** Starts a server that issues a token to every request. Dispose of it with `using`. */
export function startTokenServer(): TokenServer {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => Response.json({ access_token: "token", expires_in: 3600 }),
  })
  return { url: server.url.href, [Symbol.dispose]: () => void server.stop(true) }
}

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
})

/** Returns a service account whose tokens come from that address. */
export function googleAccount(tokenUri: string): ServiceAccount {
  return { clientEmail: "gateway@project.test", privateKey, tokenUri, projectId: "project" }
}
