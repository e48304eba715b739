import { cookiesAfter } from "../../users/cookies-after.ts"
import { SecretFolder } from "../../../src/secrets/secret-folder.ts"
import type { TestGateway } from "../../support/gateway.ts"

export interface Person {
  readonly name: string
  readonly email: string
  readonly password: string
}

export const OPERATOR: Person = {
  name: "Olga",
  email: "olga@example.com",
  password: "operators know it",
}

/** Simulates a browser with the console. It stores cookies and sends the headers of the console. */
export class ConsoleBrowser {
  readonly #url: string
  cookie: string | null = null
  /** The tab's token after it has begun a sign-in at an issuer. */
  linkToken: string | null = null
  /** The `set-cookie` headers of the last response. */
  setCookies: readonly string[] = []

  constructor(gateway: { readonly url: string }) {
    this.#url = gateway.url
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const response = await fetch(`${this.#url}/admin/v1${path}`, {
      method,
      redirect: "manual",
      headers: {
        "x-tollgate-console": "1",
        ...(this.cookie !== null && { cookie: this.cookie }),
        ...(this.linkToken !== null && { "x-tollgate-link-token": this.linkToken }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    this.setCookies = response.headers.getSetCookie()
    this.cookie = cookiesAfter(this.cookie, this.setCookies)
    return response
  }

  /**
   * Returns the response as JSON.
   * @throws when its status is not the expected one.
   */
  async json(
    method: string,
    path: string,
    body?: unknown,
    status = 200,
  ): Promise<Record<string, unknown>> {
    const response = await this.ask(method, path, body)
    const text = await response.text()
    if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }

  async status(method: string, path: string, body?: unknown): Promise<number> {
    const response = await this.ask(method, path, body)
    await response.body?.cancel()
    return response.status
  }

  signIn({ email, password }: Person): Promise<Record<string, unknown>> {
    return this.json("POST", "/auth/sign-in/email", { email, password })
  }
}

/** Signs up as the first user with the link that the start printed. */
export async function setUpOperator(gateway: TestGateway): Promise<ConsoleBrowser> {
  const browser = new ConsoleBrowser(gateway)
  const token = new SecretFolder(gateway.settings.data).setupToken.readOrCreate()
  await browser.json("POST", "/setup", { token, ...OPERATOR })
  return browser
}

/** Creates a person who has accepted an invitation to an account. */
export async function join(
  gateway: { readonly url: string },
  inviting: ConsoleBrowser,
  order: { readonly account: string; readonly role: string; readonly person: Person },
): Promise<ConsoleBrowser> {
  const { account, role, person } = order
  const { email, name, password } = person
  const { link } = await inviting.json("POST", "/members/invitations", { account, email, role })
  const token = new URL(String(link)).searchParams.get("token")
  const browser = new ConsoleBrowser(gateway)
  await browser.json("POST", `/invitations/${token}/accept`, { name, password })
  return browser
}

export function person(name: string): Person {
  return { name, email: `${name.toLowerCase()}@example.com`, password: `the password of ${name}` }
}
