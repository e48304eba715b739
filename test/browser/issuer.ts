import { createServer, type RequestListener } from "node:http"
import { Provider } from "oidc-provider"

/** Who signs in at the issuer, by the login that they type there. */
export interface Person {
  readonly email: string
  readonly isVerified: boolean
  readonly name: string
}

/** A certified OpenID Connect provider on the loopback, with its own pages to sign in and to agree. */
export interface Issuer extends AsyncDisposable {
  /** What the settings of a gateway say of it. */
  readonly yaml: string
  /** By their logins. */
  readonly people: Map<string, Person>
  /** Lets a gateway ask: its address is known only once it knows the issuer's. */
  admit(gateway: string): void
}

const CLIENT = { client_id: "tollgate", client_secret: "a-client-secret-of-32-characters" }

export async function startIssuer(): Promise<Issuer> {
  let answer: RequestListener = (_, response) => response.writeHead(503).end()
  const server = createServer((request, response) => {
    answer(request, response)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the issuer has no port")
  const url = `http://127.0.0.1:${address.port}`
  const people = new Map<string, Person>()
  return {
    yaml: `console: { oidc: [{ id: company, name: Our company, issuer: "${url}", client_id: ${CLIENT.client_id}, client_secret: ${CLIENT.client_secret} }] }\n`,
    people,
    admit(gateway) {
      answer = providerAt(url, gateway, people).callback()
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function providerAt(url: string, gateway: string, people: ReadonlyMap<string, Person>): Provider {
  return new Provider(url, {
    clients: [
      {
        ...CLIENT,
        token_endpoint_auth_method: "client_secret_post",
        redirect_uris: [`${gateway}/admin/v1/auth/callback/company`],
      },
    ],
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
