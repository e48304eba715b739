import { createServer, type RequestListener, type ServerResponse } from "node:http"
import { decodeJwt, exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload } from "jose"
import { SignJWT, UnsecuredJWT } from "jose"
import { Provider } from "oidc-provider"

/** A person who signs in at the issuer. */
export interface Person {
  readonly email: string
  readonly isVerified: boolean
  readonly name: string
}

/** Wrong values in an ID token. The token is signed with the issuer's key, or not signed. */
export interface Forgery {
  readonly claims?: JWTPayload
  readonly isUnsigned?: boolean
}

/** A certified OpenID Connect provider on this machine, with its own pages for signing in and giving consent. */
export interface Issuer extends AsyncDisposable {
  /** The lines for a gateway's settings file. */
  readonly yaml: string
  /** People by their logins. */
  readonly people: Map<string, Person>
  forgery: Forgery | undefined
  /** `down`: every response is an error. `silent`: requests are accepted and never answered. */
  state: "up" | "down" | "silent"
  /**
   * Registers a gateway. Its address is known only after the issuer has started. A second call creates a new signing
   * key.
   */
  admit(gateway: string): Promise<void>
}

const CLIENT = { client_id: "tollgate", client_secret: "a-client-secret-of-32-characters" }

export async function startIssuer(): Promise<Issuer> {
  let answer: RequestListener = (_, response) => response.writeHead(503).end()
  const server = createServer((request, response) => {
    if (issuer.state === "up") answer(request, response)
    else if (issuer.state === "down") reject(response)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the issuer has no port")
  const url = `http://127.0.0.1:${address.port}`
  const issuer: Issuer = {
    yaml: `console: { oidc: [{ id: company, name: Our company, issuer: "${url}", client_id: ${CLIENT.client_id}, client_secret: ${CLIENT.client_secret}, link_users: verified_email }] }\n`,
    people: new Map(),
    forgery: undefined,
    state: "up",
    async admit(gateway) {
      const key = await newKey()
      const provider = providerAt(url, gateway, issuer.people, key)
      provider.use(async (context, next) => {
        await next()
        const { body } = context as { body: { id_token?: string } }
        if (context.path !== "/token" || issuer.forgery === undefined || !body.id_token) return
        body.id_token = await forge(body.id_token, issuer.forgery, key)
      })
      answer = provider.callback()
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  return issuer
}

function reject(response: ServerResponse): void {
  response.writeHead(503).end()
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true })
  return { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: "RS256", use: "sig" }
}

async function forge(token: string, { claims, isUnsigned }: Forgery, key: JWK): Promise<string> {
  const payload = { ...decodeJwt(token), ...claims }
  if (isUnsigned === true) return new UnsecuredJWT(payload).encode()
  const header = { alg: "RS256", kid: key.kid ?? "" }
  return new SignJWT(payload).setProtectedHeader(header).sign(await importJWK(key, "RS256"))
}

function providerAt(
  url: string,
  gateway: string,
  people: ReadonlyMap<string, Person>,
  key: JWK,
): Provider {
  return new Provider(url, {
    clients: [
      {
        ...CLIENT,
        token_endpoint_auth_method: "client_secret_post",
        redirect_uris: [`${gateway}/admin/v1/auth/callback/company`],
      },
    ],
    jwks: { keys: [key] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    findAccount: (_, login) => ({
      accountId: login,
      claims: () => {
        const { email, isVerified, name } = people.get(login) ?? {
          email: "",
          isVerified: false,
          name: "",
        }
        return { sub: login, email, email_verified: isVerified, name }
      },
    }),
  })
}
