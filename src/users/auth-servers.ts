import { GatewayError } from "../canon/errors.ts"
import type { OidcSettings } from "../config/sign-in-settings.ts"
import type { AuthServer, AuthServerParts } from "./auth-server.ts"
import { requireIssuer } from "./issuer.ts"

/** The origin of those that need none: no link of theirs leads anywhere. */
const NO_ORIGIN = "http://tollgate.internal"
/** Origins that people come by; a stranger may think up more. */
const MAX_KEPT = 16

/** What all of them share. */
export type SharedParts = Omit<AuthServerParts, "secret" | "origin" | "issuer"> & {
  readonly secret: () => string
}

/**
 * The instances of better-auth: one for passwords, and one for each issuer and origin, so that an
 * issuer that cannot be reached is in no one else's way. It is loaded when the first is needed.
 */
export class AuthServers {
  readonly #parts: SharedParts
  readonly #issuers = new Map<string, Promise<AuthServer>>()
  #forPasswords: Promise<AuthServer> | undefined

  constructor(parts: SharedParts) {
    this.#parts = parts
  }

  forPasswords(): Promise<AuthServer> {
    return (this.#forPasswords ??= this.#build(NO_ORIGIN))
  }

  /** @throws GatewayError `upstream_error` when the issuer cannot be reached. */
  async forIssuer(issuer: OidcSettings, origin: string): Promise<AuthServer> {
    const name = JSON.stringify([origin, issuer])
    const known = this.#issuers.get(name)
    if (known) return known
    const building = this.#buildFor(issuer, origin)
    if (this.#issuers.size >= MAX_KEPT) this.#issuers.clear()
    this.#issuers.set(name, building)
    try {
      return await building
    } catch (error) {
      this.#issuers.delete(name)
      throw error
    }
  }

  async #buildFor(issuer: OidcSettings, origin: string): Promise<AuthServer> {
    await requireIssuer(issuer)
    const server = await this.#build(origin, issuer)
    const { socialProviders } = await server.$context
    if (socialProviders.some(({ id }) => id === issuer.id)) return server
    throw new GatewayError("upstream_error", `${issuer.name} cannot sign people in now. Try again.`)
  }

  async #build(origin: string, issuer?: OidcSettings): Promise<AuthServer> {
    const { createAuthServer } = await import("./auth-server.ts")
    const { secret, ...parts } = this.#parts
    const server = createAuthServer({
      ...parts,
      secret: secret(),
      origin,
      ...(issuer && { issuer }),
    })
    await server.$context
    return server
  }
}
