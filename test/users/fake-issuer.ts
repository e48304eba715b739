import { exportJWK, generateKeyPair, SignJWT } from "jose"
import type { OidcSettings } from "../../src/config/sections/sign-in.ts"

/** The issuer's claims about the person who signs in. */
export interface Person {
  readonly sub: string
  readonly email: string
  readonly email_verified: boolean
  readonly name: string
}

/** An OpenID Connect issuer on this machine that can have the faults of a malicious issuer. */
export interface FakeIssuer extends AsyncDisposable {
  readonly url: string
  readonly settings: OidcSettings
  /** The person who signs in next. */
  person: Person
  fault:
    | "none"
    | "wrong_key"
    | "wrong_nonce"
    | "wrong_issuer"
    | "wrong_audience"
    | "script"
    | "no_address"
    | "away"
  /** Replaces the signing key with a new key of the same name. */
  replaceKey(): Promise<void>
  /** Signs the person in. Returns the address of the callback with the code and the state. */
  authorize(url: string): string
}

const CLIENT = { id: "tollgate", secret: "a-client-secret" }

const newKeys = () => generateKeyPair("RS256")
/**
 * The first keys of every issuer in this process. They are shared, because creating an RSA key takes longer than most
 * tests.
 */
let firstKeys: Promise<[Keys, Keys]> | undefined
type Keys = Awaited<ReturnType<typeof newKeys>>

export async function startIssuer(): Promise<FakeIssuer> {
  const [first, others] = await (firstKeys ??= Promise.all([newKeys(), newKeys()]))
  let keys = first
  /** For each code, the parameters of the request for which it was issued. */
  const grants = new Map<string, { nonce: string | null; challenge: string | null }>()
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: response })
  const issuer: FakeIssuer = {
    url: `http://127.0.0.1:${server.port}`,
    settings: {
      id: "company",
      name: "Our company",
      issuer: `http://127.0.0.1:${server.port}`,
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      scopes: ["openid", "email", "profile"],
      secondFactor: "required",
      linkUsers: "verified_email",
    },
    person: { sub: "1", email: "ada@example.com", email_verified: true, name: "Ada" },
    fault: "none",
    async replaceKey() {
      keys = await newKeys()
    },
    authorize,
    async [Symbol.asyncDispose]() {
      await server.stop(true)
    },
  }

  async function response(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (issuer.fault === "away") return new Response(null, { status: 503 })
    if (pathname === "/.well-known/openid-configuration") return Response.json(description())
    if (pathname === "/jwks") return Response.json({ keys: [await publicKey()] })
    if (pathname === "/token") return token(request)
    return new Response(null, { status: 404 })
  }

  async function publicKey(): Promise<object> {
    return { ...(await exportJWK(keys.publicKey)), kid: "one", alg: "RS256", use: "sig" }
  }

  function description(): object {
    const { url } = issuer
    const odd: Readonly<Record<string, string>> = {
      script: "javascript:alert(1)//",
      no_address: "no address",
    }
    return {
      issuer: issuer.fault === "wrong_issuer" ? "https://evil.example.com" : url,
      authorization_endpoint: odd[issuer.fault] ?? `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
    }
  }

  function authorize(text: string): string {
    const { searchParams } = new URL(text)
    const code = crypto.randomUUID()
    grants.set(code, {
      nonce: searchParams.get("nonce"),
      challenge: searchParams.get("code_challenge"),
    })
    const back = new URL(searchParams.get("redirect_uri") ?? "")
    back.searchParams.set("code", code)
    back.searchParams.set("state", searchParams.get("state") ?? "")
    return back.href
  }

  async function token(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text())
    const grant = grants.get(form.get("code") ?? "")
    grants.delete(form.get("code") ?? "")
    const verifier = new Bun.CryptoHasher("sha256").update(form.get("code_verifier") ?? "")
    if (!grant || verifier.digest("base64url") !== grant.challenge || !isClient(request, form)) {
      return Response.json({ error: "invalid_grant" }, { status: 400 })
    }
    return Response.json({
      access_token: "an-access-token",
      token_type: "Bearer",
      expires_in: 300,
      id_token: await idToken(grant.nonce),
    })
  }

  function idToken(nonce: string | null): Promise<string> {
    const { sub, ...claims } = issuer.person
    const isWrong = issuer.fault === "wrong_nonce"
    return new SignJWT({ ...claims, nonce: isWrong ? "of-somebody-else" : nonce })
      .setProtectedHeader({ alg: "RS256", kid: "one" })
      .setSubject(sub)
      .setIssuer(issuer.url)
      .setAudience(issuer.fault === "wrong_audience" ? "another-client" : CLIENT.id)
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(issuer.fault === "wrong_key" ? others.privateKey : keys.privateKey)
  }

  return issuer
}

function isClient(request: Request, form: URLSearchParams): boolean {
  const basic = `Basic ${btoa(`${CLIENT.id}:${CLIENT.secret}`)}`
  return (
    request.headers.get("authorization") === basic || form.get("client_secret") === CLIENT.secret
  )
}
